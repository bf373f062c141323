# frozen_string_literal: true

require "stringio"

module Spate
  module Server
    module Rack
      # Buffers a request's body before the application is called, so that a slow client occupies no thread. Short
      # bodies are kept in memory, longer ones in an unnamed file. Used on the reactor's thread until the application
      # takes the body.
      class BufferedBody
        autoload :Quota, "spate/server/rack/buffered_body/quota"
        autoload :TemporaryFile, "spate/server/rack/buffered_body/temporary_file"

        # Raised when the quota is exhausted while the application reads.
        class Full < IOError
        end

        # @!visibility private

        # Maximum bytes of a body that are kept in memory.
        MEMORY = 65_536

        # body: a Request::Body. limits: the limits on buffered bytes, of one body and of all bodies. quota: the Quota
        # of all bodies.
        def initialize(body, limits, quota)
          @body = body
          @most = limits.gathered
          @most_in_all = limits.gathered_in_all
          @quota = quota
          @io = StringIO.new("".b)
          @size = 0
        end

        # Starts to buffer. The block is called once: with nil when enough is buffered, with the error of a file that
        # cannot be written, or with :full. It is not called when the client gives up.
        def begin(&ready)
          @ready = ready
          @body.on_lost { release unless @over }
          @body.on_chunk(lent: true) { |part| take(part) }
          @body.on_end { over }
        end

        # Buffers the rest of the body, on the application's thread. input: an Input. Returns the IO, rewound. Raises
        # Full, errors of the input, and SystemCallError.
        def add(input)
          @io.seek(0, IO::SEEK_END)
          input.each_part do |part|
            raise Full, "buffered bodies use all of #{@most_in_all} bytes" unless keep?(part)
          end
          @io.tap(&:rewind)
        end

        # io: the IO, rewound. size: the number of its bytes.
        attr_reader :io, :size

        # Whether the whole body is buffered.
        def whole? = @whole || false

        # Whether other bodies may need the space of this one.
        def crowded? = !@over && (@in_file ? @quota.files_crowded?(@most_in_all) : @quota.memory_crowded?)

        # Frees the space. May be called from any thread.
        def release
          io, @io = @io, nil
          return if io.nil?

          @in_file ? @quota.leave_file(@size) : @quota.leave_memory(@size)
          io.close unless io.is_a?(StringIO) # a thread of the application may still read it
        end

        private

        def take(part)
          return if @over
          return over(:full) unless keep?(part)

          over if @size >= @most && (@body.length.nil? || @size < @body.length)
        rescue SystemCallError, TemporaryFile::Missing => e
          over(e)
        end

        # Returns false when the quota is exhausted.
        def keep?(part)
          return false unless memory?(part.bytesize) || file?(part.bytesize)

          @size += part.bytesize
          write(part)
          true
        end

        # Whether this many more bytes can stay in memory.
        def memory?(count) = !@in_file && @size + count <= MEMORY && @quota.memory?(count)

        # Whether the file has room for this many more bytes.
        def file?(count)
          return false unless @in_file || @quota.file?(@size, @most_in_all)

          use_a_file unless @in_file
          @quota.more?(count, @most_in_all)
        end

        # Not IO#write, which would let other threads run for each part: a tenth of a second when they are busy.
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
