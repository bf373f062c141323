# frozen_string_literal: true

require "cli/front/warm/client_case"

# A command boots without its warm parent if the socket or its folder is not trusted, or if the parent does not respond
# as expected.
class WarmClientDoubtsTest < WarmClientCase
  NOBODY = 65_534

  def test_without_a_socket
    record("application development", "nnn")

    assert_booted
    File.write(socket, "")
    assert_booted(message: "a file")
    File.unlink(socket)
    answering
    assert_warm
    @parent.stop

    assert_booted(message: "nothing listens")
  end

  def test_folders_that_others_may_enter
    answering
    [0o755, 0o710, 0o701, 0o500].each do |mode|
      File.chmod(mode, sockets)
      assert_booted(message: mode.to_s(8))
    end
    File.chmod(0o700, sockets)
    assert_warm
  end

  def test_a_folder_that_is_a_link
    answering
    assert_warm
    File.rename(sockets, "#{sockets}.moved")
    File.symlink("#{sockets}.moved", sockets)

    assert_booted
  end

  def test_a_path_that_is_longer_than_an_address
    long = File.join(folder, "x" * 120)
    Dir.mkdir(long, 0o700)
    answering(at: File.join(long, "socket"))

    assert_warm
  end

  def test_a_folder_of_another_user
    skip "only root may change owners" unless Process.euid.zero?
    answering
    File.chown(NOBODY, nil, sockets)

    assert_booted
  end

  def test_a_peer_of_another_user
    skip "only root may become another user" unless Process.euid.zero?
    record("application development", "nnn")
    reader, writer = IO.pipe
    pid = fork do
      server = Socket.new(:UNIX, :STREAM)
      server.bind(Addrinfo.unix(socket))
      Process::UID.change_privilege(NOBODY)
      server.listen(1)
      writer.write("x")
      writer.write(server.accept.first.read.bytesize)
      exit!(0)
    end
    reader.read(1)

    assert_booted
    assert_equal "0", reader.read(1), "bytes of a request"
  ensure
    Process.kill(:KILL, pid) && Process.wait(pid) if pid
  end

  REFUSALS = { "refused" => [4, 0], "exited before it started" => [2, 0], "unknown" => [9, 0], "no child" => [1, 1],
               "all processes" => [1, -1] }.freeze

  REFUSALS.each do |name, reply|
    define_method(:"test_refusal_#{name.tr(" ", "_")}") do
      requests = Queue.new
      parent do |connection|
        requests << connection.request
        connection.reply(*reply)
      end

      assert_booted
      assert_equal 1, requests.size
    end
  end

  def test_a_connection_that_ends_early
    parent(&:close)
    assert_booted(message: "before the request")
    @parent.stop
    File.unlink(socket)
    parent(&:request)

    assert_booted(message: "before the reply")
  end

  # By that time the command has booted, and must not run twice.
  def test_a_silent_parent_cannot_start_a_child_later
    result = Queue.new
    parent do |connection|
      connection.request
      connection.ended?
      connection.reply(WarmParent::STARTED, Process.pid)
      result << "started"
    rescue Errno::EPIPE
      result << "refused"
    end

    assert_booted
    assert_equal "refused", result.pop
  end

  LOST = "error: the warm parent of this command ended; its result is not known\n" \
         "hint: spate warm off, or repeat the command\n"

  { "nothing" => "", "a part of a reply" => "\x02\0\0", "an unknown reply" => [7, 0].pack("L<l<"),
    "another start" => [1, 4711].pack("L<l<"), "no status" => [2, 256].pack("L<l<") }.each do |name, bytes|
    define_method(:"test_parent_ends_with_#{name.tr(" ", "_")}") do
      parent do |connection|
        connection.request
        connection.reply(WarmParent::STARTED, Process.pid)
        connection.write(bytes)
      end
      out, err, status = run_command

      assert_equal ["", LOST, 70], [out, err, status.exitstatus]
    end
  end

  def test_replies_in_pieces
    parent do |connection|
      connection.request
      [[1, Process.pid], [2, 9]].flat_map { |reply| reply.pack("L<l<").chars }.each do |byte|
        connection.write(byte)
        Thread.pass
      end
    end

    assert_equal 9, run_command.last.exitstatus
  end
end
