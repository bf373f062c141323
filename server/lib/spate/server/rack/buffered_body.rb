# frozen_string_literal: true

require "stringio"

module Spate
  module Server
    module Rack
      # A request's body before its application is called: a slow client holds no thread with it. It waits in memory or,
      # where it is longer, in a file without a name. On the reactor's thread, until it is given away.
      class BufferedBody
        autoload :Quota, "spate/server/rack/buffered_body/quota"
        autoload :TemporaryFile, "spate/server/rack/buffered_body/temporary_file"

        # There is no room for what an application reads.
        class Full < IOError
        end

        # Bytes that are kept in memory.
        MEMORY = 65_536

        # body: a Request::Body. limits: of bytes beyond which the rest is left to who reads it, and of all. quota: the
        # Quota of all.
        def initialize(body, limits, quota)
          @body = body
          @most = limits.gathered
          @most_in_all = limits.gathered_in_all
          @quota = quota
          @io = StringIO.new("".b)
          @size = 0
        end

        # The block is called once: with nil when there is what the application is to have, with the error of a file
        # that cannot be written, or with :full. Not at all where the client gave up.
        def begin(&ready)
          @ready = ready
          @body.on_lost { release unless @over }
          @body.on_chunk(lent: true) { |part| take(part) }
          @body.on_end { over }
        end

        # On the application's thread: keeps what follows, too. input: an Input. Answers the IO at its beginning. Full,
        # what the input raises, and SystemCallError.
        def add(input)
          @io.seek(0, IO::SEEK_END)
          input.each_part do |part|
            raise Full, "bodies take all of #{@most_in_all} bytes" unless keep?(part)
          end
          @io.tap(&:rewind)
        end

        # An IO at its beginning; how many bytes.
        attr_reader :io, :size

        # Whether they are all of the body.
        def whole? = @whole || false

        # Whether others wait for the room that this one takes.
        def crowded? = !@over && (@in_file ? @quota.files_crowded?(@most_in_all) : @quota.memory_crowded?)

        # Nobody needs it any more. From any thread.
        def release
          io, @io = @io, nil
          return if io.nil?

          @in_file ? @quota.leave_file(@size) : @quota.leave_memory(@size)
          io.close unless io.is_a?(StringIO) # a thread of the application's may still read
        end

        private

        def take(part)
          return if @over
          return over(:full) unless keep?(part)

          over if @size >= @most && (@body.length.nil? || @size < @body.length)
        rescue SystemCallError, TemporaryFile::Missing => e
          over(e)
        end

        # False where there is no room.
        def keep?(part)
          return false unless memory?(part.bytesize) || file?(part.bytesize)

          @size += part.bytesize
          write(part)
          true
        end

        # Whether so many bytes more stay in memory.
        def memory?(count) = !@in_file && @size + count <= MEMORY && @quota.memory?(count)

        # Whether there is room for them in the file.
        def file?(count)
          return false unless @in_file || @quota.file?(@size, @most_in_all)

          use_a_file unless @in_file
          @quota.more?(count, @most_in_all)
        end

        # IO#write would let other threads go first, a tenth of a second where they are busy, for each part.
        def write(part)
          return @io.write(part) if @io.is_a?(StringIO)

          until part.empty?
            count = @io.write_nonblock(part)
            part = part.byteslice(count..)
          end
        end

        def use_a_file
          @in_file = true
          text = @io.string
          @io = TemporaryFile.open
          write(text)
        end

        def over(error = nil)
          return if @over

          @over = true
          @whole = @body.whole?
          @body.pause
          error ? release : @io.rewind
          @ready.call(error)
        end
      end
    end
  end
end
