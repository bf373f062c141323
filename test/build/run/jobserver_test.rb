# frozen_string_literal: true

require "test_helper"
require "fcntl"
require "timeout"

module Spate
  # Builds and make processes share the jobs of the job server, and never run more at once. The client is the real make.
  class JobserverTest < Minitest::Test
    # Two targets that finish only when both run at the same time.
    MEETING = <<~MAKE
      all: one two
      one:
      \ttouch one; for i in $$(seq 100); do test -e two && exit 0; sleep 0.05; done; exit 1
      two:
      \ttouch two; for i in $$(seq 100); do test -e one && exit 0; sleep 0.05; done; exit 1
    MAKE

    def server(size) = @server = Build::Run::Jobserver.new(size)

    def test_no_more_run_at_once_than_there_are_jobs
      server(2)
      running = 0
      most = 0
      mutex = Mutex.new
      threads = Array.new(6) do
        Thread.new do
          @server.hold do
            mutex.synchronize { most = [most, running += 1].max }
            sleep 0.02
            mutex.synchronize { running -= 1 }
          end
        end
      end
      threads.each(&:join)

      assert_equal 2, most
    end

    def test_make_uses_the_jobs_that_are_free
      write("Makefile", MEETING)
      server(2)
      output = @server.hold { make }

      assert_predicate $?, :success?, output
      refute_match(/jobserver/, output)
    end

    def test_make_gets_no_job_in_use
      write("Makefile", MEETING.gsub("seq 100", "seq 10"))
      server(1)
      @server.hold { make }

      refute_predicate $?, :success?
    end

    def test_job_of_a_killed_make_is_returned
      server(3)
      @server.hold { @server.descriptors.keys.first.sysread(2) }
      taken = 0
      Timeout.timeout(10) { @server.hold { @server.hold { @server.hold { taken = 3 } } } }

      assert_equal 3, taken
    end

    def test_waiting_works_with_a_nonblocking_pipe
      server(1)
      reader = @server.descriptors.keys.first
      reader.fcntl(Fcntl::F_SETFL, reader.fcntl(Fcntl::F_GETFL) | Fcntl::O_NONBLOCK)
      order = []
      threads = Array.new(3) { |index| Thread.new { @server.hold { order << index } } }
      Timeout.timeout(10) { threads.each(&:join) }

      assert_equal [0, 1, 2], order.sort
    end

    def test_flags_of_the_user_are_kept
      assert_match(/\A-k -j --jobserver-fds=\d+,\d+ --jobserver-auth=\d+,\d+\z/, server(2).makeflags("-k"))
      assert_match(/\A-j /, @server.makeflags)
    end

    private

    def make
      IO.popen({ "MAKEFLAGS" => @server.makeflags }, ["make", "-C", folder], err: %i[child out], **spawn_options,
               &:read)
    end

    def spawn_options = @server.descriptors.transform_keys(&:itself)
  end
end
