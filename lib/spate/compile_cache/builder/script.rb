# frozen_string_literal: true

# Builds the compile caches of one application in a separate `ruby --disable-gems`. Started by Spate::Boot::Background
# or, with a pipe for events, by Spate::CompileCache::Builder::Child. Arguments: see
# Spate::Boot::Background::BuilderArguments.
values = ARGV.map { |word| word.split("=", 2) }.group_by(&:first).transform_values { |pairs| pairs.map(&:last) }
$LOAD_PATH.unshift(*values["load_path"])

require "spate/native/boot" # before `spate`, whose autoload of Spate::Native would load the extension for installs
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
    nil # already a process group leader
  end
  Spate::Native.become_idle
end

# Ensures that only one background builder runs at a time. The process holds the lock until it ends. Its time limit
# starts when it has the lock.
turn = lambda do
  @turn = File.open("#{arguments.store_root}/compile-cache/builder.lock", File::RDWR | File::CREAT | File::NOFOLLOW,
                    0o600)
  @turn.flock(File::LOCK_EX)
rescue SystemCallError
  nil # the lock is optional: it only limits the load of the machine
ensure
  Thread.new do
    sleep(Spate::CompileCache::Builder::SECONDS + 30)
    Process.kill(:KILL, Process.getpgrp == Process.pid ? 0 : Process.pid) # also kills the children
  end
end

caches = Spate::Boot::CompileCacheFolder.new(arguments.store_root)
abort "error: the builder runs another Ruby than the boot" if caches.ruby_key != arguments.ruby_key

jobs = arguments.jobs || (Spate::CompileCache::Compiler.default_jobs unless report)
build = Spate::CompileCache::Builder::ApplicationBuild.new(arguments.location, caches: caches, events: events,
                                                                               jobs: jobs, exclude: arguments.exclude,
                                                                               team: arguments.team?,
                                                                               turn: (turn unless report))
done = build.call(renew: arguments.renew?)
events.emit(:compile_cache, **done.to_h)
warn "#{Time.now}: #{done.to_h}" unless report
