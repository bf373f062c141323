# frozen_string_literal: true

require "test_helper"
require "socket"

module Spate
  module Server
    # docs/request.md names exactly the files whose methods a request for a file calls.
    class RequestWayTest < Minitest::Test
      LIBRARY = File.expand_path("../../lib/spate/server", __dir__)
      TABLE = File.read(File.expand_path("../../docs/request.md", __dir__)).scan(/^\| `(\S+\.rb)`( \*)?/)
      NAMED = TABLE.map(&:first)
      ONLY_LARGE = TABLE.select(&:last).map(&:first)
      MOST = 22
      SIZES = { "small.txt" => 600, "large.bin" => 200_000 }.freeze

      def setup
        long_ago = Time.now - 60
        SIZES.each { |name, size| write("www/#{name}", "x" * size) }
        @files = Files.new(File.join(folder, "www"))
        # Recently changed files are not cached. This passes a later time, so that the files are.
        @files.instance_variable_get(:@cache).define_singleton_method(:keep) do |path, resource, _now = nil|
          super(path, resource, Time.now.to_i * 1_000_000_000 + 3_600_000_000_000)
        end
        SIZES.each_key { |name| File.utime(long_ago, long_ago, File.join(folder, "www", name)) }
        start
      end

      def teardown
        @reactor.halt
        @thread.join
        @socket.close
        super
      end

      def start
        listener = TCPServer.new("127.0.0.1", 0)
        @reactor = Reactor.new(listener, @files)
        @socket = TCPSocket.new("127.0.0.1", listener.local_address.ip_port)
        @thread = Thread.new { @reactor.run }
        @encoder = Native::HpackEncoder.new(4096)
        @stream = -1
        @socket.write(HTTP2::PREFACE + Wire.frame(4, 0, 0,
                                                  [4, 1 << 20].pack("nN")) + Wire.frame(8, 0, 0, [1 << 20].pack("N")))
      end

      def get(name)
        fields = [":method", "GET", ":scheme", "http", ":path", "/#{name}", ":authority", "localhost"]
        @socket.write(Wire.frame(1, 5, @stream += 2, @encoder.encode(fields)))
        size = 0
        loop do
          length, type, flags, = Wire.read_frame_header(@socket.read(9), 0, [])
          @socket.read(length)
          next unless type.zero?

          size += length
          return size if flags.allbits?(1)
        end
      end

      # Returns the files of the library in which the reactor's thread calls methods, until the last DATA frame is in
      # the write buffer.
      def files_of(name)
        2.times { get(name) }
        sleep 0.05 until @thread.stop?
        crossed = []
        written = 0
        calls = TracePoint.new(:call, :c_return) do |point|
          next unless Thread.current.equal?(@thread)

          if point.event == :call
            crossed << point.path
          elsif point.self.is_a?(Native::WriteBuffer) && %i[data file].include?(point.method_id)
            written = crossed.size
          end
        end
        size = calls.enable { get(name) }
        assert_equal SIZES.fetch(name), size
        crossed.first(written).uniq.filter_map { |path| path[%r{\A#{LIBRARY}/(.*)}, 1] }
      end

      def test_request_for_a_large_file
        assert_equal NAMED.sort, files_of("large.bin").sort
        assert_operator NAMED.size, :<=, MOST
      end

      def test_request_for_a_cached_file
        files = files_of("small.txt")

        assert_equal (NAMED - ONLY_LARGE + %w[response/body.rb]).sort, files.sort
        assert_operator files.size, :<, MOST
      end
    end
  end
end
