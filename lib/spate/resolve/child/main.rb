# frozen_string_literal: true

# Loaded into Bundler's process by gemfile/child/bundle.rb, before Bundler's command runs.
$LOAD_PATH << File.expand_path("../../..", __dir__)
require "spate"
require_relative "hooks"

Spate::Resolve::Child::Hooks.install
# GC is disabled at first, since resolving usually takes less than a second, and a collection would mark everything that
# Bundler and the index have loaded. It is enabled after two seconds of CPU time.
Thread.new do
  sleep 0.2 until Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) > 2
  GC.enable
end
