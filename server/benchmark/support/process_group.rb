# frozen_string_literal: true

require "timeout"

# The process group of a measured server. Reads its CPU time and memory.
class ProcessGroup
  attr_reader :pid

  # environment, command: as for Process.spawn. log: path for its output.
  def initialize(environment, command, log:)
    @log = log
    @pid = Process.spawn(environment, *command, pgroup: true, %i[out err] => [log, "a"], in: File::NULL,
                                                rlimit_nofile: [8192, 8192])
  end

  # CPU seconds of all live threads of all processes, as counted by the scheduler in nanoseconds.
  def seconds
    members.sum { |pid| thread_nanoseconds(pid) } / 1e9
  end

  # Proportional set size (PSS) of all processes in kilobytes.
  def memory
    members.sum { |pid| read("/proc/#{pid}/smaps_rollup")[/^Pss:\s+(\d+)/, 1].to_i }
  end

  def alive?
    Process.wait(@pid, Process::WNOHANG).nil?
  rescue Errno::ECHILD
    false
  end

  # Sends SIGTERM, and SIGKILL after `seconds`.
  def stop(seconds: 5)
    signal(:TERM)
    Timeout.timeout(seconds) { Process.wait(@pid) }
  rescue Errno::ECHILD
    nil
  rescue Timeout::Error
    signal(:KILL)
    Process.wait(@pid)
  ensure
    signal(:KILL) # remaining processes of the group
  end

  def output = File.exist?(@log) ? File.read(@log, 2000).to_s : ""

  private

  def signal(name)
    Process.kill(name, -@pid)
  rescue Errno::ESRCH, Errno::EPERM
    nil
  end

  # Returns the pids of the group's processes. Field 5 of /proc/PID/stat is the process group. The command name before
  # it may contain spaces.
  def members
    Dir.children("/proc").select do |name|
      name.match?(/\A\d+\z/) && read("/proc/#{name}/stat").rpartition(") ").last.split[2].to_i == @pid
    end
  end

  # Excludes ended threads and reaped children, so the server must be measured while it is running.
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
