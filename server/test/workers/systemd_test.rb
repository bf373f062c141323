# frozen_string_literal: true

require "test_helper"
require "support/watched"

module Spate
  module Server
    # As a systemd service, the server uses inherited sockets and sends notifications.
    class SystemdTest < Minitest::Test
      include Watched

      def setup
        write("public/hello.txt", "hello\n")
        @root = File.join(folder, "public")
      end

      # Starts a program like systemd: inherited descriptors begin at 3, and LISTEN_PID is the PID, known only in the
      # child.
      LAUNCHER = 'ENV["LISTEN_PID"] = Process.pid.to_s; exec(*ARGV, 3 => 3, 4 => 4)'

      def activate(listeners, *options, names: nil, notify: nil)
        env = { "LISTEN_FDS" => listeners.size.to_s, "LISTEN_FDNAMES" => names, "NOTIFY_SOCKET" => notify }
        reader, writer = IO.pipe
        descriptors = listeners.each_with_index.to_h { |listener, index| [index + 3, listener] }
        descriptors[4] ||= File::NULL
        command = [RbConfig.ruby, "-e", LAUNCHER, *COMMAND, @root, *options]
        @server = Process.spawn(env, *command, err: writer, **descriptors)
        writer.close
        @log = reader
        @port = listeners.first.local_address.ip_port
        Timeout.timeout(SECONDS) { reader.gets }
      end

      def test_socket_activation
        listener = TCPServer.new("127.0.0.1", 0)
        early = TCPSocket.new("127.0.0.1", listener.local_address.ip_port)
        early.write("GET /hello.txt HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        line = activate([listener], "--workers", "2")
        assert_match(%r{on http://127\.0\.0\.1:#{listener.local_address.ip_port}$}, line)
        assert_match(/\r\n\r\nhello\n\z/, early.read)
        assert_equal [0, ""], stop
        assert_equal :wait_readable, listener.accept_nonblock(exception: false)
      ensure
        [listener, early].each { |socket| socket&.close }
      end

      def test_sockets_by_their_names
        admin, main = Array.new(2) { TCPServer.new("127.0.0.1", 0) }
        assert_match(/:#{main.local_address.ip_port}$/, activate([admin, main], names: "admin:main"))
        assert_equal "200", get("/-/health", port: admin.local_address.ip_port).code
        assert_equal "hello\n", get("/hello.txt", port: main.local_address.ip_port).body
      ensure
        [admin, main].each { |socket| socket&.close }
      end

      def test_with_systemds_own_launcher
        launcher = "systemd-socket-activate"
        path = ENV["PATH"].split(":").map { |dir| File.join(dir, launcher) }.find { |file| File.executable?(file) }
        skip "#{launcher} is not installed" unless path
        port = TCPServer.open("127.0.0.1", 0) { |server| server.local_address.ip_port }
        @log, writer = IO.pipe
        @server = Process.spawn(path, "-l", "127.0.0.1:#{port}", *COMMAND, @root, err: writer)
        writer.close
        @port = port
        told(/[Ll]istening on/)
        # The first connection starts the server.
        assert_equal "hello\n", get("/hello.txt").body
        assert_equal 0, stop.first
      end

      def messages(socket, count)
        Array.new(count) { Timeout.timeout(SECONDS) { socket.recv(4096) } }
      end

      def test_systemd_notifications
        path = File.join(folder, "notify")
        socket = Socket.new(:UNIX, :DGRAM).tap { |unix| unix.bind(Addrinfo.unix(path)) }
        listener = TCPServer.new("127.0.0.1", 0)
        activate([listener], "--pid-file", @pid_file = File.join(folder, "pid"), notify: path)
        assert_equal ["READY=1\nMAINPID=#{@server}"], messages(socket, 1)
        Process.kill(:HUP, @server)
        reloading, ready = messages(socket, 2)
        assert_match(/\ARELOADING=1\nMONOTONIC_USEC=\d+\z/, reloading)
        assert_match(/\AREADY=1/, ready)
        Process.kill(:USR2, @server)
        new_server = messages(socket, 1).first[/\AREADY=1\nMAINPID=(\d+)/, 1].to_i
        refute_equal @server, new_server
        Process.wait(@server)
        @server = nil
        assert_equal "hello\n", get("/hello.txt").body
        Process.kill(:TERM, new_server)
        assert_equal ["STOPPING=1"], messages(socket, 1)
        eventually("the end") { gone?(new_server) }
      ensure
        [socket, listener].each { |open| open&.close }
      end

      # systemd-analyze accepts the units of the documentation, after the program was replaced with an existing one.
      def test_systemd_units_of_the_documentation
        skip "systemd-analyze is not installed" unless system("systemd-analyze --version", %i[out err] => File::NULL)
        page = File.read(File.expand_path("../../docs/operations.md", __dir__), encoding: "UTF-8")
        socket, service = page.scan(/^```ini\n(.*?)^```/m).flatten
        service = service.sub("/usr/local/bin/spate-serve", "/bin/true")
        paths = { "spate.socket" => socket, "spate.service" => service }.map { |name, text| write(name, text) }
        assert_equal "", client("systemd-analyze", "verify", *paths)
        options = service[%r{/bin/true /srv/www (.*)$}, 1].split
        assert_empty(options.grep(/\A--/).reject { |option| `#{COMMAND.join(" ")} --help`.include?(option) })
      end

      def test_descriptor_that_is_not_a_socket
        output, status = Open3.capture2e({ "SPATE_SERVE_SOCKETS" => "main=0" }, *COMMAND, @root, stdin_data: "")
        assert_match(/\Aerror: descriptor 0 is not a listening socket: /, output)
        assert_equal 9, status.exitstatus
      end
    end
  end
end
