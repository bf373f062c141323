# frozen_string_literal: true

# Runs in the background: launcher, path of the record, working directory, folder of the bundle, and the value of
# --gemfile, if any.
require "spate"
require "spate/inputs"
require "spate/tracer"

Process.setpriority(Process::PRIO_PROCESS, 0, 19)
launcher, path, directory, bundle, gemfile = ARGV
Dir.chdir(directory)
Spate::CLI::Install::InPlace::Recorder.new(launcher, path, bundle, gemfile, ENV).call
