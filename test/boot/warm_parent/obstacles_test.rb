# frozen_string_literal: true

require "test_helper"
require "fiddle"
require "socket"
require "tempfile"
require "spate/boot/entry"

module Spate
  # The obstacles in a process after an application was loaded.
  class BootWarmParentObstaclesTest < Minitest::Test
    def setup
      skip "warm boots need Linux" unless File.directory?("/proc/self/fd")
      Boot.load_native
    end

    # The obstacles after the block, which runs in a forked process.
    def after(&block)
      reader, writer = IO.pipe
      pid = fork do
        reader.close
        Boot::WarmParent::Openings.start
        obstacles = Boot::WarmParent::Obstacles.new
        kept = block.call
        writer.write(Marshal.dump(obstacles.to_a), kept ? "" : nil)
      ensure
        writer.close
        exit!(0)
      end
      writer.close
      Marshal.load(reader.read) # rubocop:disable Security/MarshalLoad
    ensure
      Process.wait(pid) if pid
    end

    def call(name, *arguments)
      types = arguments.map { |each| each.is_a?(String) ? Fiddle::TYPE_VOIDP : Fiddle::TYPE_INT }
      Fiddle::Function.new(Fiddle.dlopen(nil)[name], types, Fiddle::TYPE_INT).call(*arguments)
    end

    def test_files_of_ruby_and_named_files_are_none
      assert_empty after { [File.open(__FILE__), Thread.new { sleep }.tap { |thread| thread.kill.join }] }
      assert_empty after { IO.pipe.each(&:close) }
    end

    def test_files_that_commands_would_share
      line = __LINE__ + 2
      assert_equal [["an open pipe", "#{__FILE__}:#{line - 1}"]] * 2, places(after { IO.pipe })
      assert_equal [["an open socket", "#{__FILE__}:#{line}"]], places(after { UDPSocket.new })
      assert_equal [["an open socket", nil]] * 2, places(after { UNIXSocket.pair })
      assert_equal [["an open anon_inode:[eventpoll]", nil]], places(after { call("epoll_create1", 0) })
      assert_equal [["an open anon_inode:[eventfd]", nil]], places(after { call("eventfd", 0, 0) })
      assert_equal [["an open /memfd:example (deleted)", nil]], places(after { call("memfd_create", "example", 0) })
    end

    def test_a_file_without_a_name
      found = after { Tempfile.new("example").tap(&:unlink) }

      assert_match(%r{\Aan open /.*/example.* \(deleted\): descriptor \d+, opened at .+:\d+\z}, found.first)
      assert_equal 1, found.size
    end

    def test_threads_and_children
      assert_match(/\Aa thread: #<Thread:.* #{Regexp.escape(__FILE__)}:\d+ /, after { Thread.new { sleep } }.first)
      assert_match(/\Aa child process: \d+\z/, after { Process.spawn("sleep 10", close_others: true) }.first)
    end

    # [["an open pipe", "FILE:LINE" or nil]]
    def places(found) = found.map { |text| text.match(/\A(.+): descriptor \d+(?:, opened at (.+))?\z/).captures }
  end
end
