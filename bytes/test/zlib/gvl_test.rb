# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "timeout"
require "spate/zlib"
require "zlib"

module Spate
  # Long calls release the GVL, can be interrupted, and leave streams consistent. The limits of times are far from the
  # expected times, so that a busy machine does not change the result.
  class ZlibGvlTest < Minitest::Test
    TEXT = (Dir[File.join(RbConfig::CONFIG["rubylibdir"], "*.rb")].map { |path| File.binread(path) }.join * 20)
           .byteslice(0, 12_000_000).b.freeze
    PACKED = ::Zlib.deflate(TEXT, 1).freeze
    # A shorter text for compressors, because they are slower.
    THIRD = TEXT.byteslice(0, 4_000_000).freeze

    def clock = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # Returns how often another thread woke up during the block.
    def ticks_during
      ticks = 0
      over = false
      ticker = Thread.new do
        until over
          sleep 0.001
          ticks += 1
        end
      end
      sleep 0.01
      before = ticks
      yield
      ticks - before
    ensure
      over = true
      ticker.join
    end

    LONG_CALLS = {
      inflate: proc { Zlib.inflate(PACKED) },
      deflate: proc { Zlib.deflate(THIRD, 1) },
      identical: proc { Zlib.deflate(THIRD, 1, identical: true) },
      stream: proc { Zlib::Inflate.new.inflate(PACKED) },
      append: proc { (Zlib::Inflate.new << PACKED).flush_next_out },
      deflating_stream: proc { Zlib::Deflate.new(1).deflate(THIRD, Zlib::FINISH) },
      block: proc { Zlib::Inflate.new.inflate(PACKED) { |chunk| chunk } },
      sums: proc { 30.times { Zlib.crc32(TEXT) && Zlib.adler32(TEXT) } }
    }.freeze

    LONG_CALLS.each do |name, call|
      define_method(:"test_others_run_during_#{name}") do
        call.call
        # Usually 20 to 200. If calls kept the GVL, there would be one after each call.
        assert_operator ticks_during { 2.times(&call) }, :>, 4
      end
    end

    # Beside a busy thread, releasing the GVL costs up to a time slice of 100 ms. For 300 calls this would take half a
    # minute.
    def test_small_calls_keep_the_gvl
      small = Zlib.deflate(TEXT.byteslice(0, 1000))
      over = false
      busy = Thread.new { nil until over }
      sleep 0.01
      started = clock
      300.times { Zlib.deflate(Zlib.inflate(small)) && Zlib::Inflate.new.inflate(small) && Zlib.crc32(small) }
      assert_operator clock - started, :<, 10
    ensure
      over = true
      busy.join
    end

    # Calls that would take much longer than AT_ONCE seconds.
    ENDLESS = {
      inflate: proc { Zlib.inflate(BOMB) },
      deflate: proc { Zlib.deflate(LETTERS, 9) },
      identical: proc { Zlib.deflate(LETTERS, 9, identical: true) },
      stream: proc { Zlib::Inflate.new.inflate(BOMB) },
      deflating_stream: proc { Zlib::Deflate.new(9).deflate(LETTERS) }
    }.freeze
    AT_ONCE = 3
    # Random text of four letters: each position has as many matches as a compressor checks.
    LETTERS = Random.new(1).bytes(48_000_000).tr("\x00-\xff".b, "acgt" * 64).freeze
    # Inflates to four billion zeros: after a full flush the same bytes can be repeated.
    BOMB = begin
      zeros = ::Zlib::Deflate.new(9)
      head = zeros.deflate("\0", ::Zlib::FULL_FLUSH)
      (head + (zeros.deflate("\0" * 20_000_000, ::Zlib::FULL_FLUSH) * 200) + zeros.finish).freeze
    end

    ENDLESS.each do |name, call|
      define_method(:"test_#{name}_can_be_killed") do
        thread = Thread.new(&call)
        sleep 0.05
        assert_predicate thread, :alive?
        started = clock
        thread.kill.join
        assert_operator clock - started, :<, AT_ONCE
      end

      define_method(:"test_#{name}_times_out") do
        started = clock
        assert_raises(Timeout::Error) { Timeout.timeout(0.05, &call) }
        assert_operator clock - started, :<, AT_ONCE
      end
    end

    def test_interrupted_stream_can_continue
      [[-> { Zlib::Inflate.new }, PACKED, TEXT], [-> { Zlib::Deflate.new(1) }, TEXT, PACKED]].each do |make, from, to|
        stream = make.call
        name = stream.is_a?(Zlib::Inflate) ? :inflate : :deflate
        head = begin
          Timeout.timeout(0.02) { stream.public_send(name, from) }
        rescue Timeout::Error
          assert_operator stream.avail_in, :>, 0
          ""
        end
        assert_equal from.bytesize, stream.total_in + stream.avail_in
        out = head + stream.finish
        assert out == to, name
        assert_equal from.bytesize, stream.total_in
      end
    end

    LEFT = <<~'RUBY'
      require "spate/zlib"
      text, packed = ARGV.map { |path| File.binread(path).freeze }
      resident = -> { Integer(File.read("/proc/self/status")[/^VmRSS:\s+(\d+)/, 1]) * 1024 }
      GC.start
      before = resident.call
      24.times do
        plain = "#{text.byteslice(0, 4_000_000)}."
        deflated = "#{packed}."
        threads = [Thread.new { Spate::Zlib.deflate(plain, 1) }, Thread.new { Spate::Zlib.inflate(deflated) }]
        sleep 0.002
        threads.each(&:kill).each(&:join)
        plain.clear
        deflated.replace("x")
      end
      GC.start
      abort "broken" unless text == Spate::Zlib.inflate(packed)
      200.times do
        GC.start
        break if resident.call - before < 75_000_000

        sleep 0.1
      end
      puts resident.call - before
    RUBY

    # The work of a killed thread continues with its own data, independently of the Strings, and then frees its memory.
    # With the fixed threshold, malloc returns large blocks to the system at once.
    def test_work_of_killed_threads_frees_its_memory
      paths = [write("text", TEXT), write("packed", PACKED)]
      out, status = Open3.capture2e({ "MALLOC_MMAP_THRESHOLD_" => "1000000" }, RbConfig.ruby, "-W0",
                                    "-I#{File.expand_path("../../lib", __dir__)}", "-e", LEFT, *paths)
      assert_predicate status, :success?, out
      assert_operator Integer(out), :<, 75_000_000
    end

    def test_signals_are_handled_during_a_call
      script = <<~RUBY
        require "spate/zlib"
        bomb = File.binread(ARGV[0])
        seen = []
        trap(:USR1) { seen << Process.clock_gettime(Process::CLOCK_MONOTONIC) }
        parent = Process.pid
        child = fork { 3.times { sleep 0.05; Process.kill(:USR1, parent) }; exit! }
        Spate::Zlib.inflate(bomb, max_output: 1_500_000_000) rescue p $!.class
        Process.wait(child)
        p seen.size
        trap(:INT, "DEFAULT")
        fork { sleep 0.05; Process.kill(:INT, parent); exit! }
        begin
          Spate::Zlib::Inflate.new.inflate(bomb)
        rescue Interrupt
          puts "interrupted"
        end
      RUBY
      path = write("bomb", BOMB)
      out, = Open3.capture2e(RbConfig.ruby, "-I#{File.expand_path("../../lib", __dir__)}", "-e", script, path)
      assert_equal "Spate::Zlib::OutputLimitError\n3\ninterrupted\n", out
    end

    def test_children_of_a_fork
      thread = Thread.new { Zlib.deflate(TEXT, 9) }
      sleep 0.02
      reader, writer = IO.pipe
      pid = fork do
        good = Zlib.inflate(Zlib.deflate(TEXT, 1)) == TEXT && Zlib.inflate(Zlib.deflate("a" * 100)) == "a" * 100
        writer.write(good)
        exit!(0)
      end
      writer.close
      assert_equal "true", Timeout.timeout(30) { reader.read }
      Process.wait(pid)
      thread.kill.join
    end

    # The methods that Fiber.set_scheduler requires.
    class Scheduler
      def initialize = @ready = []
      def block(_blocker, _timeout = nil) = Fiber.yield
      def unblock(_blocker, fiber) = @ready << fiber
      def kernel_sleep(_seconds = nil) = nil
      def io_wait(_io, events, _timeout) = events
      def fiber_interrupt(fiber, exception) = fiber.raise(exception)
      def fiber(&block) = Fiber.new(blocking: false, &block).tap(&:resume)

      def close
        @ready.shift.resume until @ready.empty?
      end
    end

    def test_a_fiber_scheduler
      results = []
      Thread.new do
        Fiber.set_scheduler(Scheduler.new)
        stream = Zlib::Deflate.new(1)
        Fiber.schedule { results << (Zlib.inflate(PACKED) == TEXT) }
        Fiber.schedule { results << (::Zlib.inflate(Zlib.deflate(TEXT, 1)) == TEXT) }
        Fiber.schedule { results << (::Zlib.inflate(stream.deflate(TEXT, Zlib::FINISH)) == TEXT) }
      end.join
      assert_equal [true, true, true], results
    end

    def test_ractors
      script = <<~RUBY
        require "spate/zlib"
        all = Array.new(3) do |i|
          Ractor.new(i) do |n|
            text = (n.to_s * 3_000_000).freeze
            20.times.all? { Spate::Zlib.inflate(Spate::Zlib.deflate(text)) == text }
          end
        end
        p all.map { |one| one.respond_to?(:value) ? one.value : one.take }
      RUBY
      out, = Open3.capture2e(RbConfig.ruby, "-W0", "-I#{File.expand_path("../../lib", __dir__)}", "-e", script)
      assert_equal "[true, true, true]\n", out
    end
  end
end
