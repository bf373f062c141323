# frozen_string_literal: true

# The builder that Spate::Boot::Background starts, with `ruby --disable-gems`. Arguments: "renew" or "keep", the store's
# folder, the Ruby's key, root, Gemfile and lockfile of the application, folders for $LOAD_PATH.
renew, store_root, ruby_key, root, gemfile, lockfile, *load_path = ARGV
$LOAD_PATH.unshift(*load_path)

begin
  Process.setsid
rescue Errno::EPERM
  nil # leads a process group already
end
Process.setpriority(Process::PRIO_PROCESS, 0, 10)

require "spate/native/boot" # before `spate`, which would load the library for installing with the same constant
require "spate"
require_relative "room"

seconds = Spate::Boot::Builder::SECONDS
Thread.new do
  sleep(seconds + 30)
  Process.kill(:KILL, Process.getpgrp == Process.pid ? 0 : Process.pid) # and the children
end

events = Spate::Events.new.subscribe do |event|
  warn "warning: #{event[:message]}" if event[:event] == :warning
end
place = Spate::Gemfile::Location.new(*[gemfile, lockfile, root].map { |path| path unless path.empty? })
images = Spate::Boot::Images.new(store_root)
abort "error: this is another Ruby than the one that booted" if images.ruby_key != ruby_key

warn "#{Time.now}: building for #{place.root}"
report = Spate::Boot::Builder::Project.new(place, images: images, events: events).call(renew: renew == "renew")
warn "#{Time.now}: #{report.to_h}"
