# frozen_string_literal: true

require "socket"

# Plays the parent of warm commands: a socket, and for each connection a block that answers its request.
class WarmParent
  STARTED, EXITED, SIGNALED, REFUSED, STOPPED = *1..5
  MAGIC = "SPATEW2"

  # streams: the client's. folder: its working directory. others: { number => file }.
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

    # Whether the client has ended, or given up. Waits for it.
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

    # Runs the block as the child, in its own group, and replies as the child stops and ends. If the client
    # ends first, the child is killed.
    def run_child(request)
      pid = fork do
        Process.setpgid(0, 0)
        @socket.close
        yield request
        exit!(0)
      end
      begin
        Process.setpgid(pid, pid)
      rescue SystemCallError
        nil # the child did, or has ended
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
      nil # both have ended
    end

    def follow(pid)
      loop do
        status = Process.wait2(pid, Process::WUNTRACED).last
        next reply(STOPPED, status.stopsig) if status.stopped?
        return reply(SIGNALED, status.termsig) if status.signaled?

        return reply(EXITED, status.exitstatus)
      end
    rescue Errno::EPIPE
      nil # the client has ended
    end
  end

  # path: of the socket. The block is called with a Connection, in a thread of its own.
  def initialize(path, &block)
    @block = block
    Dir.open(File.dirname(path)) do |folder| # the path may be longer than an address
      @server = UNIXServer.new("/proc/self/fd/#{folder.fileno}/#{File.basename(path)}")
    end
    @threads = []
    @accepting = Thread.new { accept }
  end

  # Raises what a block has raised.
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
