# frozen_string_literal: true

# Makes the images of one application, in a process of `ruby --disable-gems` of its own: started by
# Spate::Boot::Background, or by Spate::Boot::Builder::Child, which waits for it. Arguments: words as
# Spate::Boot::Builder::Words has them.
words = ARGV.map { |word| word.split("=", 2) }.group_by(&:first).transform_values { |pairs| pairs.map(&:last) }
$LOAD_PATH.unshift(*words["load_path"])

require "spate/native/boot" # before `spate`, which would load the library for installing with the same constant
require "spate"
require "spate/boot/room"

words = Spate::Boot::Builder::Words.new(words)
report = words.report && IO.for_fd(words.report, "wb")
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
    nil # leads a process group already
  end
  Process.setpriority(Process::PRIO_PROCESS, 0, 10)
  Thread.new do
    sleep(Spate::Boot::Builder::SECONDS + 30)
    Process.kill(:KILL, Process.getpgrp == Process.pid ? 0 : Process.pid) # and the children
  end
end

images = Spate::Boot::Images.new(words.store_root)
abort "error: this Ruby is another one than that which booted" if images.ruby_key != words.ruby_key

jobs = words.jobs || (Spate::Boot::Compiler.few unless report)
project = Spate::Boot::Builder::Project.new(words.location, images: images, events: events, jobs: jobs,
                                                            exclude: words.exclude)
done = project.call(renew: words.renew?)
events.emit(:boot_images, **done.to_h)
warn "#{Time.now}: #{done.to_h}" unless report
