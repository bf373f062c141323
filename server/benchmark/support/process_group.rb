# frozen_string_literal: true

require "timeout"

# A server under measurement: a group of processes, and what all of them took.
class ProcessGroup
  attr_reader :pid

  # environment, command: as of Process.spawn. log: a file for what it says.
  def initialize(environment, command, log:)
    @log = log
    @pid = Process.spawn(environment, *command, pgroup: true, %i[out err] => [log, "a"], in: File::NULL,
                                                rlimit_nofile: [8192, 8192])
  end

  # CPU seconds of all threads of all processes so far, by the scheduler's own count in nanoseconds.
  def seconds
    members.sum { |pid| thread_nanoseconds(pid) } / 1e9
  end

  # Kilobytes of memory that the processes have to themselves, and their shares of what several of them have.
  def memory
    members.sum { |pid| read("/proc/#{pid}/smaps_rollup")[/^Pss:\s+(\d+)/, 1].to_i }
  end

  def alive?
    Process.wait(@pid, Process::WNOHANG).nil?
  rescue Errno::ECHILD
    false
  end

  # TERM, and KILL after `seconds`.
  def stop(seconds: 5)
    signal(:TERM)
    Timeout.timeout(seconds) { Process.wait(@pid) }
  rescue Errno::ECHILD
    nil
  rescue Timeout::Error
    signal(:KILL)
    Process.wait(@pid)
  ensure
    signal(:KILL) # whoever is left of the group
  end

  def told = File.exist?(@log) ? File.read(@log, 2000).to_s : ""

  private

  def signal(name)
    Process.kill(name, -@pid)
  rescue Errno::ESRCH, Errno::EPERM
    nil
  end

  # Field 5 of stat is the group; the name before it may have spaces.
  def members
    Dir.children("/proc").select do |name|
      name.match?(/\A\d+\z/) && read("/proc/#{name}/stat").rpartition(") ").last.split[2].to_i == @pid
    end
  end

  # Ended threads and reaped children are not in it: a server is measured while its own live.
  def thread_nanoseconds(pid)
    Dir.children("/proc/#{pid}/task").sum { |task| read("/proc/#{pid}/task/#{task}/schedstat").to_i }
  rescue Errno::ENOENT, Errno::ESRCH
    0
  end

  def read(path)
    File.read(path)
  rescue Errno::ENOENT, Errno::ESRCH, Errno::EACCES
    ""
  end
end
