# frozen_string_literal: true

require "test_helper"

# The time at which the cache last sent data, as seen by the thread that waits for it.
class ReadingTest < Minitest::Test
  DIGEST = "a" * 64

  # A transport whose responses come from a queue. Its files accept as many bytes as a pipe.
  class Transport
    include Spate::RemoteCache::Transport

    attr_reader :answer, :disk

    def initialize
      @answer = Thread::Queue.new
      @disk, @file = IO.pipe
    end

    def read(_name, _limit)
      while (bytes = @answer.pop)
        yield bytes
      end
      true
    end

    def create(_path) = @file
  end

  def setup = @transport = Transport.new

  def teardown
    @reader&.kill&.join
    @transport.disk.close
  end

  # Returns when the reader waits for the transport.
  def read
    @reader = Thread.new { yield "cas/#{DIGEST}" }
    wait { @transport.answer.num_waiting == 1 }
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def wait
    deadline = now + 10
    sleep 0.01 until yield || now > deadline
  end

  def test_no_data
    assert_nil @transport.answered_at
  end

  def test_silence
    read { |name| @transport.get(name, limit: 1) }
    @transport.answer << "a"
    wait { @transport.answered_at && @transport.answer.num_waiting == 1 }
    answered_at = @transport.answered_at
    sleep 0.05
    assert_equal answered_at, @transport.answered_at
  end

  # 1 MiB exceeds the capacity of a pipe.
  def test_slow_disk_is_not_silence
    read { |name| @transport.fetch(name, to: "#{Dir.tmpdir}/nowhere", limit: 1 << 20) }
    @transport.answer << ("b" * (1 << 20))
    wait { @transport.answer.num_waiting.zero? && @reader.status == "sleep" }
    before = now
    sleep 0.05
    assert_operator @transport.answered_at, :>, before
  end
end
