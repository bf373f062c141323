# frozen_string_literal: true

require "test_helper"
require "support/python"
require "support/running"

module Spate
  module Server
    # curl, nghttp, h2load and Python's h2 fetch files from the command spate-serve, also while other clients are slow
    # or the server has no descriptors left.
    class ClientsTest < Minitest::Test
      include Running

      CURL = %w[curl -sS --max-time 25].freeze
      BIG = 256 << 20

      def setup
        write("hello.txt", "hello\n")
        serve(folder)
      end

      def curl(*arguments) = client(*CURL, *arguments)

      # Returns the path of a file of at least 256 MB. It repeats one random megabyte, each time after a different
      # number and at another offset. It is written in parts, so it is never in memory as a whole.
      def big_file
        path = File.join(folder, "big.bin")
        block = Random.new(6).bytes(1 << 20)
        File.open(path, "wb") { |file| (BIG >> 20).times { |n| file.write([n].pack("N"), block, "x" * (n % 5)) } }
        path
      end

      def test_curl_over_both
        { "--http2-prior-knowledge" => "HTTP/2 200", "--http1.1" => "HTTP/1.1 200 OK" }.each do |option, line|
          answer = curl("-i", option, address("/hello.txt"))
          assert_match(/\A#{line}/, answer)
          assert_match(/\r\n\r\nhello\n\z/, answer)
          assert_match(/^etag: "\h+-\h+-\h+"\r$/, answer)
        end
      end

      def test_a_big_file
        path = big_file
        %w[--http2-prior-knowledge --http1.1].each do |option|
          copy = File.join(folder, "copy")
          curl(option, "-o", copy, address("/big.bin"))
          assert FileUtils.identical?(path, copy), option
        end
      end

      # 100 concurrent requests on one connection, and windows of 64 KB and of 16 KB.
      def test_nghttp
        File.binwrite(File.join(folder, "mid.bin"), content = Random.new(7).bytes(300_001))
        assert_equal content, client("nghttp", "-w", "14", "-W", "14", address("/mid.bin"))
        told = client("nghttp", "-nv", "-m", "100", address("/mid.bin"))
        assert_equal 100, told.scan(/recv \(stream_id=\d+\) :status: 200/).size
        assert_equal 100, told.scan(/recv DATA frame <.*flags=0x01/).size
      end

      def test_h2load
        told = client("h2load", "-n", "3000", "-c", "5", "-m", "20", address("/hello.txt"))
        assert_match(/3000 succeeded, 0 failed, 0 errored/, told)
        told = client("h2load", "-n", "300", "-c", "5", "-p", "http/1.1", address("/hello.txt"))
        assert_match(/300 succeeded, 0 failed, 0 errored/, told)
      end

      def test_python_h2
        reason = Python.missing("h2")
        skip reason if reason
        File.binwrite(File.join(folder, "mid.bin"), content = Random.new(8).bytes(200_000))
        told = client_at(Python::PATH, File.join(__dir__, "support/python/h2_client.py"), @port, "/mid.bin", "100")
        require "digest"
        assert_equal ["200 #{Digest::SHA256.hexdigest(content)}"] * 20, told.lines(chomp: true)
      end

      # A slow client does not delay the requests of another.
      def test_a_client_that_does_not_read
        big_file
        slow = TCPSocket.new("127.0.0.1", @port)
        slow.write("GET /big.bin HTTP/1.1\r\nhost: x\r\n\r\n")
        assert_equal "hello\n", curl("--http2-prior-knowledge", address("/hello.txt"))
        assert_equal "hello\n", curl("--http1.1", address("/hello.txt"))
      ensure
        slow&.close
      end

      # Pipelined requests, the last of them incomplete.
      def test_pipelining
        File.binwrite(File.join(folder, "mid.bin"), content = Random.new(9).bytes(400_000))
        requests = %w[/hello.txt /mid.bin /hello.txt /none] * 25
        bytes = requests.map { |path| "GET #{path} HTTP/1.1\r\nhost: x\r\n\r\n" }.join
        answers = raw("#{bytes}GET /no HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert_equal 50, answers.scan(/\r\n\r\nhello\n/).size
        assert_equal 26, answers.scan(%r{^HTTP/1.1 404}).size
        assert_equal 25, answers.scan(content).size
      end

      # The responses exceed the write buffer, but the requests fit into one read.
      def test_many_small_requests_in_one_write
        encoder = Native::HpackEncoder.new(4096)
        fields = %w[:method HEAD :scheme http :path /hello.txt :authority localhost]
        bytes = HTTP2::PREFACE + Wire.frame(4, 0, 0, "")
        8000.times { |n| bytes << Wire.frame(1, 5, 2 * n + 1, encoder.encode(fields, :index)) }
        answers = raw(bytes << Wire.frame(7, 0, 0, "\0" * 8) << Wire.frame(0, 0, 0, ""))
        at = seen = 0
        while at < answers.bytesize
          length, type, = Wire.read_frame_header(answers, at, [])
          seen += 1 if type == 1
          at += 9 + length
        end
        assert_equal [8000, at], [seen, answers.bytesize]
      end

      # The server has no free descriptors: open connections continue, and waiting ones are accepted later.
      def test_running_out_of_descriptors
        stop
        serve(folder, wrapper: ["prlimit", "--nofile=24"])
        held = Array.new(30) { TCPSocket.new("127.0.0.1", @port) }
        sleep 0.2
        held.each(&:close)
        assert_equal "hello\n", curl("--http2-prior-knowledge", address("/hello.txt"))
        assert_match(/accept: /, stop.last)
      end

      def test_stopping
        curl(address("/hello.txt"))
        assert_equal [0, ""], stop
      end
    end
  end
end
