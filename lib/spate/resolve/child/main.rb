# frozen_string_literal: true

# Loaded into a process of Bundler by gemfile/child/bundle.rb, before Bundler's command line.
$LOAD_PATH << File.expand_path("../../..", __dir__)
require "spate"
require_relative "hooks"

Spate::Resolve::Child::Hooks.install
# Resolving allocates for a second or less; a collection would look at all that Bundler and the index have loaded. If it
# takes longer, garbage is collected.
Thread.new do
  sleep 0.2 until Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) > 2
  GC.enable
end
