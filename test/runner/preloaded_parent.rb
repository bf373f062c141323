# frozen_string_literal: true

# The parent process of Runner::Preloaded. File descriptor 3 is a socket. A request on it has two file descriptors (a
# connection and the program's output) and a marshalled Array.

require "socket"
require_relative "../bare_helper"
require_relative "mounts"

requests = UNIXSocket.for_fd(3)
requests.close_on_exec = true
mounts = Runner::Mounts.possible? && Runner::Mounts.separable?

# Runs the program in the same state as `ruby -W:deprecated -IFOLDER PROGRAM ARGUMENTS`.
program = lambda do |path, arguments, folders, root, env, output|
  [$stdout, $stderr].each { |stream| stream.reopen(output) }
  output.close
  Dir.chdir(root)
  ENV.replace(env)
  # RubyGems has cached paths below the parent's HOME.
  Gem.instance_variables.grep(/_home\z/).each { |name| Gem.instance_variable_set(name, nil) }
  Gem.configuration = nil
  Gem.clear_paths
  ARGV.replace(arguments)
  $PROGRAM_NAME = path
  $LOAD_PATH.unshift(*folders)
  load path
end

keeper = lambda do |connection, request, output|
  Process.setpgid(0, 0)
  requests.close
  Runner::Mounts.separate if mounts
  pid = fork do
    connection.close
    program.call(*request, output)
  end
  output.close
  connection.puts(Process.pid)
  good = Process.wait2(pid).last.success? || false
  times = Process.times
  connection.puts("#{good} #{times.cutime + times.cstime}")
ensure
  exit!(true)
end

begin
  loop do
    connection = requests.recv_io(UNIXSocket)
    output = requests.recv_io
    request = Marshal.load(requests.read(requests.read(4).unpack1("N"))) # rubocop:disable Security/MarshalLoad
    fork { keeper.call(connection, request, output) }
    [connection, output].each(&:close)
    nil while Process.wait(-1, Process::WNOHANG)
  rescue Errno::ECHILD
    next
  end
rescue SocketError, EOFError, SystemCallError
  nil # bin/test has exited
end
exit!(true)
