# frozen_string_literal: true

# The background process of CLI::InPlace. Arguments: launcher, path of the record, working directory, number of folders,
# folders, command line.
require "spate"
require "spate/inputs"
require "spate/tracer"

begin
  Process.setsid # Recorder#limit kills the process group
rescue Errno::EPERM
  nil # already a process group leader
end
Process.setpriority(Process::PRIO_PROCESS, 0, 19)
launcher, path, directory, count, *words = ARGV
Dir.chdir(directory)
folders = words.shift(count.to_i)
recorder = Spate::CLI::InPlace::Recorder.new(launcher, path, folders, words, ENV)
recorder.limit
recorder.call
