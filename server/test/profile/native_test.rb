# frozen_string_literal: true

require "test_helper"
require "support/profiled"

module Spate
  module Server
    # The sampler of its own, in this process and in children.
    class ProfileNativeTest < Minitest::Test
      include Profiled

      def burn(seconds)
        finish = clock + seconds
        "abc".unpack("C*").pack("C*") while clock < finish
      end

      def named(name, seconds)
        Thread.new do
          Thread.current.name = name
          burn(seconds)
        end
      end

      def clock = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)

      def record
        Profile.start("unused.dump", engine: "own")
        yield
        Profile.take
      ensure
        Profile.take if Profile.running?
      end

      # Answers what a program prints.
      def child(program)
        output, status = Open3.capture2e("timeout", SECONDS.to_s, RbConfig.ruby, *PATHS, "-rspate/server", "-e",
                                         program)
        assert_predicate status, :success?, output
        output
      end

      def test_threads_are_told_apart
        recording = record do
          [named("burner", 0.15), named("other", 0.15)].each(&:join)
        end
        by_thread = Hash.new(0)
        recording.each_sample { |_, weight, _, thread| by_thread[thread] += weight }
        burner = by_thread.keys.find { |thread| recording.thread_name(thread) == "burner" }

        assert_operator by_thread.size, :>=, 2
        assert_operator by_thread.fetch(burner), :>, 50_000
      end

      def test_a_thread_that_ended_between_two_drains_has_its_name
        recording = record do
          named("brief", 0.02).join
        end

        assert_includes recording.facts.fetch("threads").values, "brief"
      end

      def test_garbage_collection_is_told
        recording = record { 25.times { GC.start } }
        gc = recording.frames.index { |frame| frame.name == Profile::Recording::GC }

        assert_operator recording.costs.first[gc], :>, 0
        assert_operator recording.facts.dig("gc", "runs"), :>=, 25
      end

      def test_an_idle_process_is_not_sampled
        recording = record { sleep 0.5 }

        assert_operator recording.total, :<, 200_000
      end

      def test_one_at_a_time
        record do
          error = assert_raises(Profile::Unable) { Profile.start("other.dump", engine: "own") }

          assert_match(/is running/, error.message)
        end
        assert_nil Profile.stop
      end

      def test_a_fork_has_no_part_and_may_begin_its_own
        record do
          reader, writer = IO.pipe
          pid = fork do
            told = [Profile.running?, Profile.stop]
            Profile.start("unused.dump", engine: "own")
            burn(0.1)
            writer.write(Marshal.dump(told << Profile.take.count))
            exit!(0)
          end
          writer.close
          running, stopped, count = Marshal.load(Timeout.timeout(SECONDS) { reader.read }) # rubocop:disable Security/MarshalLoad
          Process.wait(pid)

          refute running
          assert_nil stopped
          assert_operator count, :>, 0
          assert_predicate Profile, :running?
        end
      end

      def test_a_process_that_ends_writes_and_survives_late_ticks
        path = File.join(folder, "end.dump")
        child("Spate::Server::Profile.start(#{path.dump}, engine: 'own'); 200_000.times { |i| i.to_s }; exit")

        assert_kind_of Integer, Profile::Format.read(path).count
      end

      def test_collections_and_threads_under_many_ticks
        told = child(<<~RUBY)
          Spate::Server::Profile.start("unused.dump", engine: "own", rate: 10_000)
          threads = 3.times.map do |number|
            Thread.new { 300.times { |i| Class.new { define_method(:"m\#{number}_\#{i}") { [i] * 50 } }.new.public_send(:"m\#{number}_\#{i}") } }
          end
          6.times { GC.start; GC.compact if GC.respond_to?(:compact) }
          threads.each(&:join)
          GC.stress = true
          50.times { |i| "x\#{i}".to_sym }
          GC.stress = false
          recording = Spate::Server::Profile.take
          puts recording.frames.all? { |frame| frame.name.valid_encoding? } && recording.count.positive?
        RUBY

        assert_equal "true\n", told
      end

      def test_an_interval_that_is_none
        assert_raises(ArgumentError) { Profile::Native.start(0, 10) }
        assert_nil Profile::Native.stop
      end

      def test_the_limit_of_samples
        Profile::Native.start(1000, 3)
        burn(0.15)
        taken = Profile::Native.stop

        assert_equal 15, taken[:samples].size
        assert_operator taken[:dropped], :>, 0
      end
    end
  end
end
