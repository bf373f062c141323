# frozen_string_literal: true

# Runs in the background: launcher, path of the record, working directory, number of folders, folders, and the words of
# the command line. See CLI::InPlace.
require "spate"
require "spate/inputs"
require "spate/tracer"

begin
  Process.setsid # leads a group that Recorder#limit ends
rescue Errno::EPERM
  nil # already leads a group
end
Process.setpriority(Process::PRIO_PROCESS, 0, 19)
launcher, path, directory, count, *words = ARGV
Dir.chdir(directory)
folders = words.shift(count.to_i)
recorder = Spate::CLI::InPlace::Recorder.new(launcher, path, folders, words, ENV)
recorder.limit
recorder.call
