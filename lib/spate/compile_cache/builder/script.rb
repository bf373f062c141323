# frozen_string_literal: true

# Builds the compile caches of one application, in a separate process of `ruby --disable-gems`: started by
# Spate::Boot::Background, or by Spate::CompileCache::Builder::Child, which waits for it. Takes
# Spate::Boot::Background::BuilderArguments.
values = ARGV.map { |word| word.split("=", 2) }.group_by(&:first).transform_values { |pairs| pairs.map(&:last) }
$LOAD_PATH.unshift(*values["load_path"])

require "spate/native/boot" # before `spate`, which would load the library for installing for the same constant
require "spate"

arguments = Spate::Boot::Background::BuilderArguments.new(values)
report = arguments.report && IO.for_fd(arguments.report, "wb")
events = Spate::Events.new.subscribe do |event|
  if report
    Marshal.dump(event, report)
  elsif event[:event] == :warning
    warn "warning: #{event[:message]}"
  end
end

unless report
  begin
    Process.setsid
  rescue Errno::EPERM
    nil # already leads a process group
  end
  Spate::Native.become_idle
end

# Lets builders of different applications work one after another: the process holds the lock until it ends, and its time
# limit starts now.
turn = lambda do
  @turn = File.open("#{arguments.store_root}/compile-cache/builder.lock", File::RDWR | File::CREAT | File::NOFOLLOW,
                    0o600)
  @turn.flock(File::LOCK_EX)
rescue SystemCallError
  nil # optional: only reduces the load of other programs
ensure
  Thread.new do
    sleep(Spate::CompileCache::Builder::SECONDS + 30)
    Process.kill(:KILL, Process.getpgrp == Process.pid ? 0 : Process.pid) # also kills the children
  end
end

caches = Spate::Boot::CompileCacheFolder.new(arguments.store_root)
abort "error: this is another Ruby than that of the boot" if caches.ruby_key != arguments.ruby_key

jobs = arguments.jobs || (Spate::CompileCache::Compiler.few unless report)
build = Spate::CompileCache::Builder::ApplicationBuild.new(arguments.location, caches: caches, events: events,
                                                                               jobs: jobs, exclude: arguments.exclude,
                                                                               team: arguments.team?,
                                                                               turn: (turn unless report))
done = build.call(renew: arguments.renew?)
events.emit(:compile_cache, **done.to_h)
warn "#{Time.now}: #{done.to_h}" unless report
