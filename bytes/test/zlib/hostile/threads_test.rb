# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "timeout"
require "spate/zlib"

module Spate
  # Calls of Spate::Zlib interleave with other threads, forks, traps and callbacks. Most tests run in child processes,
  # because a failure crashes or hangs the process.
  class ZlibHostileThreadsTest < Minitest::Test
    LIB = File.expand_path("../../../lib", __dir__)

    def assert_prints(expected, script)
      script = "require 'spate/zlib'; require 'timeout'; Zlib = Spate::Zlib\n" \
               "ZEROS = Zlib.deflate('0' * 60_000_000)\n#{script}"
      read, write = IO.pipe
      pid = spawn(RbConfig.ruby, "--disable-gems", "-I#{LIB}", "-e", script, out: write, err: write,
                                                                             pgroup: true)
      write.close
      out = Timeout.timeout(30) { read.read }
      Process.wait(pid)
      assert_equal expected, out.lines.first(9).join
    rescue Timeout::Error
      Process.kill(:KILL, -pid)
      Process.wait(pid)
      flunk "still running"
    end

    # The conversion of the argument by to_str runs between the check for other calls and the writing of output.
    def test_a_conversion_that_starts_another_call
      assert_prints "true\n", <<~RUBY
        stream = Zlib::Inflate.new
        stream.inflate(Zlib.deflate("abc"))
        thread = nil
        text = Object.new
        text.define_singleton_method(:to_str) do
          stream.reset
          thread = Thread.new { stream << ZEROS }
          sleep 0.002
          "x" * 3_000_000
        end
        begin
          stream.inflate(text)
        rescue Zlib::Error
          nil
        end
        thread.join
        puts stream.total_out == 60_000_000
      RUBY
    end

    # Copying much output releases the GVL. Output that is added meanwhile is not lost, and does not move the buffer.
    def test_output_that_is_added_while_output_is_read
      assert_prints "ok\n" * 5, <<~RUBY
        5.times do
          stream = Zlib::Inflate.new
          stream << ZEROS.byteslice(0, ZEROS.bytesize - 20_000)
          taker = Thread.new { stream.flush_next_out.bytesize }
          Thread.pass until stream.avail_out == 0 || taker.stop? || (sleep 0.001)
          at = ZEROS.bytesize - 20_000
          while at < ZEROS.bytesize
            stream << ZEROS.byteslice(at, 500)
            at += 500
          end
          puts taker.value + stream.flush_next_out.bytesize == 60_000_000 ? "ok" : "lost"
        end
      RUBY
    end

    # Each call has its own buffer.
    def test_two_threads_with_buffers_of_their_own
      assert_prints "true\n", <<~RUBY
        half = ZEROS.bytesize / 2
        stream = Zlib::Inflate.new
        buffers = [+"", +""]
        first = Thread.new { stream.inflate(ZEROS.byteslice(0, half), buffer: buffers[0]).equal?(buffers[0]) }
        sleep 0.005
        second = stream.inflate(ZEROS.byteslice(half..), buffer: buffers[1]).equal?(buffers[1])
        puts first.value && second && buffers.sum(&:bytesize) == 60_000_000
      RUBY
    end

    # The thread that would end the call does not exist in the child.
    def test_a_fork_while_another_thread_is_in_a_call
      assert_prints "Zlib::Error: zstream was in use by another thread when the process was forked\nclosed\nparent\n",
                    <<~RUBY
                      stream = Zlib::Inflate.new
                      thread = Thread.new { 20.times { stream << ZEROS; stream.reset } }
                      sleep 0.03
                      pid = fork do
                        begin
                          stream.inflate("abc")
                        rescue Zlib::Error => e
                          puts e.class.name.delete_prefix("Spate::") + ": " + e.message
                        end
                        stream.close
                        puts stream.closed? ? "closed" : "open"
                        $stdout.flush
                        GC.start
                        exit!(true)
                      end
                      Process.wait(pid)
                      thread.kill.join
                      puts $?.success? ? "parent" : $?
                    RUBY
    end

    # A trap runs while the call waits for its thread, which does not exist in the child.
    def test_fork_in_a_trap_during_a_call
      assert_prints "child 300000000\nparent 300000000\n", <<~RUBY
        bomb = Zlib.deflate("0" * 300_000_000)
        who = "parent"
        trap(:USR1) { fork || (who = "child") }
        Thread.new { sleep 0.02; Process.kill(:USR1, Process.pid) }
        length = Timeout.timeout(20) { Zlib.inflate(bomb) }.bytesize
        Process.waitall if who == "parent"
        $stdout.syswrite(who + " " + length.to_s + "\n")
        exit! if who == "child"
      RUBY
    end

    # After a fork within the block of a stream, no process remains.
    def test_a_fork_within_a_block
      assert_prints "InProgressError\n60000000\n", <<~RUBY
        stream = Zlib::Inflate.new
        length = 0
        pid = forked = nil
        stream.inflate(ZEROS) do |chunk|
          length += chunk.bytesize
          next if forked
          forked = true
          pid = fork
          next if pid
          begin
            stream.inflate("")
          rescue Zlib::InProgressError => e
            puts "InProgressError"
          end
        end
        pid ? Process.wait(pid) : puts(length)
      RUBY
    end

    # The memory of a stopped batch is freed at once, without GC.
    def test_stopped_batch_frees_its_memory
      assert_prints "true\n", <<~RUBY
        GC.disable
        resident = -> { Integer(File.read("/proc/self/status")[/^VmRSS:\\s+(\\d+)/, 1]) }
        strings = [ZEROS] * 40
        before = resident.call
        4.times do
          Timeout.timeout(0.15) { Zlib.inflate_all(strings, threads: 2, format: :zlib) }
        rescue Timeout::Error
          nil
        end
        puts resident.call - before < 400_000
      RUBY
    end

    def test_a_negative_length_to_combine
      assert_prints "negative length: -1\nnegative length: -1\n", <<~RUBY
        %i[crc32_combine adler32_combine].each do |name|
          Zlib.public_send(name, 1, 2, -1)
        rescue ArgumentError => e
          puts e.message
        end
      RUBY
    end

    def test_buffer_equals_source
      text = Zlib.deflate("text " * 1000)
      assert_equal "text " * 1000, Zlib::Inflate.new.inflate(text, buffer: text)
    end

    # A stream that was closed with unread output can be initialized as a copy of another.
    def test_a_closed_stream_that_becomes_a_copy
      stream = Zlib::Inflate.new
      stream << Zlib.deflate("text " * 1_000)
      closed = Zlib::Inflate.new
      closed << Zlib.deflate("other " * 100_000)
      closed.close
      closed.send(:initialize_copy, stream)
      assert_equal "text " * 1000, closed.flush_next_out
    end
  end
end
