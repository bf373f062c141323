# frozen_string_literal: true

require "socket"

# A fake parent of warm commands: a socket, and for each connection a block that responds to its request.
class WarmParent
  STARTED, EXITED, SIGNALED, REFUSED, STOPPED = *1..5
  MAGIC = "SPATEW2"

  # streams: the client's streams. folder: its working directory. others: { number => file }.
  Request = Struct.new(:ignored, :blocked, :words, :environment, :streams, :folder, :others) do
    def close = [*streams, folder, *others.values].each(&:close)
  end

  # The parent's end of a connection.
  class Connection
    def initialize(socket)
      @socket = socket
    end

    def reply(kind, value = 0) = @socket.write([kind, value].pack("L<l<"))
    def write(bytes) = @socket.write(bytes)

    def close
      @request&.close
      @socket.close
    end

    # Waits for the client. Returns whether it has exited or given up.
    def ended?
      @socket.read(1).nil?
    rescue Errno::ECONNRESET
      true
    end

    # The request, or nil if the client sent nothing.
    def request
      bytes, _, _, *controls = @socket.recvmsg(1 << 20, 0, 256, scm_rights: true)
      return if bytes.nil? || bytes.empty?

      files = controls.flat_map(&:unix_rights)
      bytes << @socket.read(4 - bytes.bytesize) if bytes.bytesize < 4
      length = bytes.unpack1("L<")
      bytes << @socket.read(4 + length - bytes.bytesize)
      @request = decode(bytes.byteslice(4, length), files)
    end

    # Forks a child that runs the block in a separate process group, and reports its stops and its exit to the client.
    # If the client exits first, the child is killed.
    def run_child(request)
      pid = fork do
        Process.setpgid(0, 0)
        @socket.close
        trap("HUP", "SYSTEM_DEFAULT") # ignored if the tests run below nohup
        yield request
        exit!(0)
      end
      begin
        Process.setpgid(pid, pid)
      rescue SystemCallError
        nil # the child has done so, or has exited
      end
      request.close
      reply(STARTED, pid)
      watching = Thread.new { end_with_client(pid) }
      follow(pid)
    ensure
      watching&.kill
    end

    private

    def decode(bytes, files)
      raise "the last text has no end: #{bytes[-20..].inspect}" unless bytes.end_with?("\0")

      magic, ignored, blocked, others, count, *rest = bytes.split("\0", -1)[0...-1]
      raise "not a request: #{magic.inspect}" unless magic == MAGIC

      words = rest.shift(count.to_i)
      entries = Integer(rest.shift)
      raise "#{rest.size} variables, not #{entries}" unless rest.size == entries

      others = others.split(",").map { |number| Integer(number) }
      raise "#{files.size} descriptors, not #{others.size + 4}" unless files.size == others.size + 4

      Request.new(Integer(ignored), Integer(blocked), words, rest, files.first(3), files.fetch(3),
                  others.zip(files.drop(4)).to_h)
    end

    def end_with_client(pid)
      Process.kill(:KILL, pid) if ended?
    rescue SystemCallError
      nil # both have exited
    end

    def follow(pid)
      loop do
        status = Process.wait2(pid, Process::WUNTRACED).last
        next reply(STOPPED, status.stopsig) if status.stopped?
        return reply(SIGNALED, status.termsig) if status.signaled?

        return reply(EXITED, status.exitstatus)
      end
    rescue Errno::EPIPE
      nil # the client has exited
    end
  end

  # path: of the socket. The block is called with a Connection, in a thread for each.
  def initialize(path, &block)
    @block = block
    Dir.open(File.dirname(path)) do |folder| # the path may be too long for a socket
      @server = UNIXServer.new("/proc/self/fd/#{folder.fileno}/#{File.basename(path)}")
    end
    @threads = []
    @accepting = Thread.new { accept }
  end

  # Stops the server. Raises the exception of a block, if there was one.
  def stop
    @server.close
    @accepting.join
    @threads.each(&:join)
  end

  private

  def accept
    loop do
      socket = @server.accept
      @threads << Thread.new(socket) { |one| serve(one) }
    end
  rescue IOError, Errno::EBADF
    nil # closed
  end

  def serve(socket)
    Thread.current.report_on_exception = false
    connection = Connection.new(socket)
    @block.call(connection)
  ensure
    connection.close
  end
end
