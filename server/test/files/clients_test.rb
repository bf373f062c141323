# frozen_string_literal: true

require "test_helper"
require "support/running"
require "digest"
require "zlib"

module Spate
  module Server
    # spate-serve sends files to real clients over both protocols, also while the files change.
    class FilesClientsTest < Minitest::Test
      include Running

      BOTH = %w[--http2-prior-knowledge --http1.1].freeze
      TEXT = ("words and words\n" * 10_000).freeze
      LONG = 24 << 20
      SHORT_READ = /curl: \((?:18|56|92)\)/

      def setup
        write("page.html", TEXT)
        write("list/a.txt", "a")
        @big = write("big.bin", Random.new(3).bytes(3_000_000))
        @sparse = File.join(folder, "sparse.bin")
        File.write(@sparse, "")
        File.truncate(@sparse, LONG)
        serve(folder)
      end

      def curl(*arguments) = client("curl", "-sS", "--max-time", "25", *arguments)

      # Returns status, header fields and body.
      def fetch(protocol, path, *arguments)
        head, body = curl(protocol, "-i", "--path-as-is", *arguments, address(path)).split("\r\n\r\n", 2)
        fields = head.lines(chomp: true).drop(1).to_h { |line| line.downcase.split(": ", 2) }
        [head[/\A\S+ (\d+)/, 1].to_i, fields, body]
      end

      def test_both_protocols_have_equal_responses
        [[["/page.html"], 200], [["/page.html", "-I"], 200], [["/page.html", "-H", "accept-encoding: gzip"], 200],
         [["/page.html", "-r", "5-9"], 206], [["/big.bin", "-r", "0-9,100000-100009"], 206],
         [["/big.bin", "-r", "0-1899999,2000000-"], 206], [["/big.bin", "-r", "2000000-"], 206],
         [["/big.bin", "-r", "9999999-"], 416],
         [["/page.html", "-H", "if-none-match: *"], 304], [["/page.html", "-H", "if-match: \"x\""], 412],
         [["/page.html", "-X", "OPTIONS"], 204], [["/page.html", "-X", "DELETE"], 405], [["/none"], 404],
         [["/%zz"], 400], [["/../page.html"], 404], [["/list/"], 200], [["/list/?format=json"], 200], [["/list"], 301],
         [["/list/", "-I"], 200]].each do |arguments, status|
          answers = BOTH.map { |protocol| fetch(protocol, *arguments) }
          assert_equal [status, status], answers.map(&:first), arguments
          fields = answers.map { |answer| plain(answer[1]) }
          bodies = answers.map { |answer| answer[2].gsub(/\h{30}/, "") }
          assert_equal fields[0], fields[1], arguments
          assert bodies[0] == bodies[1], arguments
        end
      end

      # Removes the fields that differ between protocols, and random boundaries.
      def plain(fields)
        fields.reject { |name,| %w[connection date transfer-encoding].include?(name) }
              .transform_values { |value| value.gsub(/\h{30}/, "") }
      end

      def test_compressed
        BOTH.each do |protocol|
          assert curl(protocol, "--compressed", address("/page.html")) == TEXT, protocol
          coded = curl(protocol, "-H", "accept-encoding: gzip", address("/page.html"))
          assert_operator coded.bytesize, :<, TEXT.bytesize / 10
          assert_equal TEXT, ::Zlib.gunzip(coded)
          assert_equal "\0" * 4, coded.b[4, 4], "the header has no time"
        end
      end

      def test_resuming
        content = File.binread(@big)
        BOTH.each do |protocol|
          File.binwrite(copy = File.join(folder, "copy"), content[0, 1_234_567])
          curl(protocol, "-C", "-", "-o", copy, address("/big.bin"))
          assert File.binread(copy) == content, protocol
        end
      end

      def test_a_sparse_file_of_five_gigabytes
        File.truncate(@sparse, size = 5 << 30)
        File.write(@sparse, "end", size - 3, mode: "r+b")
        BOTH.each do |protocol|
          assert_equal size.to_s, fetch(protocol, "/sparse.bin", "-I")[1]["content-length"]
          status, fields, body = fetch(protocol, "/sparse.bin", "-r", "#{(4 << 30) + 5}-#{(4 << 30) + 1_000_004}")
          assert_equal [206, "bytes #{(4 << 30) + 5}-#{(4 << 30) + 1_000_004}/#{size}", "\0" * 1_000_000],
                       [status, fields["content-range"], body]
          assert_equal "end", fetch(protocol, "/sparse.bin", "-r", "-3").last
        end
      end

      # Changes a file during a download. Returns the client's output.
      def during_a_download(protocol)
        output, input = IO.pipe
        copy = File.join(folder, "copy")
        File.write(copy, "")
        pid = Process.spawn("timeout", "25", "curl", "-sS", protocol, "--limit-rate", "30M", "-o", copy,
                            address("/sparse.bin"), %i[out err] => input)
        input.close
        Timeout.timeout(SECONDS) { sleep 0.01 until File.size(copy) > 1 << 20 }
        yield
        told = output.read
        Process.wait(pid)
        [told, File.size(copy)]
      end

      def test_file_that_is_truncated
        BOTH.each do |protocol|
          File.truncate(@sparse, LONG)
          told, size = during_a_download(protocol) { File.truncate(@sparse, 100) }
          assert_match SHORT_READ, told, protocol
          assert_operator size, :<, LONG
        end
        told = stop.last.lines.grep(/Truncated|ends \d+ bytes early|changed while/)
        assert_operator told.size, :>=, 2, told
      end

      def test_a_file_that_is_written_to
        BOTH.each do |protocol|
          told, = during_a_download(protocol) { File.write(@sparse, "other", LONG - 100, mode: "r+b") }
          assert_match SHORT_READ, told, protocol
        end
        assert_match(/sparse.bin changed while it was sent/, stop.last)
      end

      # The complete old file is sent after it was removed, replaced or extended.
      def test_a_file_that_is_removed_or_grows
        BOTH.each do |protocol|
          File.truncate(@sparse, LONG)
          assert_equal ["", LONG], during_a_download(protocol) { File.write(@sparse, "more", mode: "ab") }, protocol
          File.truncate(@sparse, LONG)
          assert_equal(["", LONG], during_a_download(protocol) { File.delete(@sparse) }, protocol)
          File.write(@sparse, "")
        end
      end

      # Starts a server whose reads of some files fail or are slow.
      def serve_from_a_bad_disk
        stop
        library = File.join(folder, "failing.so")
        built = system("gcc", "-shared", "-fPIC", "-o", library,
                       File.expand_path("../support/programs/failing_reads.c", __dir__), "-ldl")
        skip "gcc is not installed" if built.nil?
        assert built
        serve(folder, wrapper: ["env", "LD_PRELOAD=#{library}"])
      end

      # If the first read fails, the response is an error. If a later one fails, the response is visibly incomplete.
      def test_a_disk_that_fails
        File.write(File.join(folder, "x.broken"), "x" * 3_000_000)
        serve_from_a_bad_disk
        BOTH.each do |protocol|
          output, status = Open3.capture2e("timeout", "25", "curl", "-sS", protocol, "-o", "/dev/null", "-w",
                                           "%{http_code}", address("/x.broken"))
          refute_predicate status, :success?, protocol
          assert_match(/(?:200|000)\z/, output)
          assert_equal 3_000_000, curl(protocol, address("/big.bin")).bytesize
        end
        assert_equal 2, stop.last.lines.grep(%r{Input/output error}).size
      end

      # The disk is slow, and the reactor does not wait for it.
      def test_a_disk_that_is_slow
        BOTH.each do |protocol|
          File.binwrite(File.join(folder, "x.slow"), content = Random.new(7).bytes(5_000_000))
          serve_from_a_bad_disk
          assert curl(protocol, address("/x.slow")) == content, protocol
          assert_equal [0, ""], stop, protocol
          serve(folder)
        end
      end

      # A small request is answered while three downloads with compression are in progress.
      def test_small_request_does_not_wait_for_gzip
        busy = Array.new(3) do |n|
          File.write(File.join(folder, "#{n}.txt"), Random.new(n).bytes(1 << 20).unpack1("H*") * 2)
          copy = File.join(folder, "#{n}.copy")
          pid = Process.spawn("timeout", "25", "curl", "-sS", "--http2-prior-knowledge", "--limit-rate", "50K", "-H",
                              "accept-encoding: gzip", "-o", copy, address("/#{n}.txt"))
          Timeout.timeout(SECONDS) { sleep 0.01 until File.size?(copy) }
          pid
        end
        assert_equal "a" * 50, curl(address("/list/a.txt?[1-50]"))
        assert_equal([nil] * 3, busy.map { |pid| Process.wait(pid, Process::WNOHANG) })
      ensure
        busy&.each { |pid| Process.kill(:TERM, pid) && Process.wait(pid) } # `timeout` forwards the signal
      end

      # After clients gave up, no descriptor stays open and no loop keeps running.
      def test_clients_that_give_up
        File.truncate(@sparse, 1 << 30)
        File.write(File.join(folder, "long.txt"), TEXT * 20)
        curl(address("/page.html"), "--compressed") # starts the threads
        before = Dir.children("/proc/#{@server}/fd").size
        kinds = [["/sparse.bin"], ["/sparse.bin", "-r", "1-90000000,200000000-900000000"],
                 ["/long.txt", "-H", "accept-encoding: gzip"]]
        pids = BOTH.product(kinds).map do |protocol, (path, *options)|
          Process.spawn("timeout", "0.3", "curl", "-s", protocol, *options, "-o", "/dev/null", address(path))
        end
        pids.each { |pid| Process.wait(pid) }
        Timeout.timeout(SECONDS) { sleep 0.02 until Dir.children("/proc/#{@server}/fd").size <= before }
        assert_equal "a", curl(address("/list/a.txt"))
      end

      def test_nghttp_and_many_at_once
        told = client("nghttp", "-nv", *(1..30).map { |n| address("/big.bin?#{n}") })
        assert_equal 30, told.scan(/:status: 200/).size
        pages = client("nghttp", "-H", "accept-encoding: identity", *(1..10).map { |n| address("/page.html?#{n}") })
        assert_equal TEXT.bytesize * 10, pages.bytesize
      end
    end
  end
end
