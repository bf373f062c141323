# frozen_string_literal: true

module Spate
  module Build
    module Run
      # A GNU make jobserver for all builds of a run: a pipe with one byte for each job that may run. A build reads one
      # byte before it starts and writes it back at its end. make or cargo inside the build reads more bytes if there
      # are any. So several gems are configured in parallel, each on one processor, and a large gem is compiled on all
      # processors.
      #
      # Child processes inherit both ends under the same descriptor numbers. Several versions of make may share the read
      # end: 4.3 and later set O_NONBLOCK on it, while 3.81 needs it clear. The flag is clear at first, and the code
      # below works with both.
      class Jobserver
        TOKEN = "+"

        # Maximum number of parallel jobs.
        attr_reader :size

        # size: jobs; nil for the number of processors.
        def initialize(size = nil)
          @size = [size || Util::Processors.count, 1].max
          @reader, @writer = open
          @mutex = Mutex.new
          @holders = 0 # number of builds that are running or waiting
        end

        # Waits for a free job and runs the block.
        def hold
          @mutex.synchronize { @holders += 1 }
          token = take
          yield
        ensure
          @writer.syswrite(token) if token
          @mutex.synchronize { refill if (@holders -= 1).zero? }
        end

        # The value for MAKEFLAGS: the user's flags, followed by the jobserver's flags in the syntax of all versions of
        # make.
        def makeflags(own = "")
          auth = "#{@reader.fileno},#{@writer.fileno}"
          [own, "-j --jobserver-fds=#{auth} --jobserver-auth=#{auth}"].reject(&:empty?).join(" ")
        end

        # Redirections for Process.spawn, which keep the descriptor numbers of both ends.
        def descriptors = { @reader => @reader, @writer => @writer }

        private

        def open
          ends = IO.pipe(Encoding::BINARY)
          require "fcntl"
          require "io/wait"
          ends.each { |io| io.fcntl(Fcntl::F_SETFL, io.fcntl(Fcntl::F_GETFL) & ~Fcntl::O_NONBLOCK) }
          ends[1].syswrite(TOKEN * size)
          ends
        end

        def take
          @reader.wait_readable
          @reader.sysread(1)
        rescue Errno::EAGAIN
          retry
        end

        # Refills the pipe when no build runs, because a killed make does not write its bytes back.
        def refill
          @reader.sysread(size) while @reader.wait_readable(0)
          @writer.syswrite(TOKEN * size)
        rescue Errno::EAGAIN
          retry
        end
      end
    end
  end
end
