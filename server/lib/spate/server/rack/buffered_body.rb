# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # Buffers a request's body before the application is called, so that a slow client occupies no thread. Short
      # bodies are kept in memory, longer ones in an unnamed file. Used on the reactor's thread until the application
      # takes the body.
      class BufferedBody
        # Raised when the quota is exhausted while the application reads.
        class Full < IOError
        end

        # @!visibility private

        # Limits the memory and the files of all buffered bodies of a process. The two limits are separate: a body that
        # fits into memory is accepted even when the files are full.
        #
        # @!visibility private
        class Quota
          # Maximum bytes in memory. Further bodies go to files, even if they are short.
          MEMORY = 67_108_864
          # Files may use 1/SHARE of the process's descriptors, because connections need descriptors, too.
          SHARE = 2

          def initialize(files: Process.getrlimit(Process::RLIMIT_NOFILE).first / SHARE)
            @most_files = files
            @mutex = Mutex.new
            @files = @on_disk = @memory = 0
          end

          # Bytes of memory in use.
          attr_reader :memory

          def bytes = @mutex.synchronize { @memory + @on_disk }

          # Reserves this many more bytes in memory. Returns false if that would exceed the limit.
          def memory?(count)
            @mutex.synchronize { @memory + count <= MEMORY && @memory += count }
          end

          # Reserves one more file for `count` bytes that are in memory now. Returns false if that would exceed a limit.
          # most: maximum bytes of all files together.
          def file?(count, most)
            @mutex.synchronize do
              next false if @files >= @most_files || @on_disk + count > most

              @files += 1
              @on_disk += count
              @memory -= count
              true
            end
          end

          # Reserves this many more bytes of a file. Returns false if that would exceed `most`.
          def more?(count, most)
            @mutex.synchronize { @on_disk + count <= most && @on_disk += count }
          end

          def leave_memory(count) = @mutex.synchronize { @memory -= count }

          def leave_file(count)
            @mutex.synchronize do
              @files -= 1
              @on_disk -= count
            end
          end

          # Whether more than half is in use. In that case slow clients should not occupy space.
          def memory_crowded? = @memory * 2 > MEMORY
          def files_crowded?(most) = @on_disk * 2 > most || @files * 2 > @most_files
        end

        # Maximum bytes of a body that are kept in memory.
        MEMORY = 65_536

        # body: a Request::Body. limits: the limits on buffered bytes, of one body and of all bodies. quota: the Quota
        # of all bodies.
        def initialize(body, limits, quota)
          @body = body
          @most = limits.body_buffer
          @most_in_all = limits.body_buffer_total
          @quota = quota
          @io = Input::Memory.new(String.new)
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
          @io.trailers = input.trailers
          @io.tap(&:rewind)
        end

        # io: an Input::Memory or Input::TemporaryFile, rewound. size: the number of its bytes.
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
        rescue SystemCallError, Input::TemporaryFile::Missing => e
          over(e)
        end

        # Returns false when the quota is exhausted.
        def keep?(part)
          return false unless memory?(part.bytesize) || file?(part.bytesize)

          @size += part.bytesize
          write(part)
          true
        end

        # Reserves `count` more bytes in memory. Returns false if the body is in a file, would be too long for memory,
        # or if the quota is exhausted.
        def memory?(count) = !@in_file && @size + count <= MEMORY && @quota.memory?(count)

        # Reserves `count` more bytes in the file, moving the body there first if needed. Returns false if the quota is
        # exhausted.
        def file?(count)
          return false unless @in_file || @quota.file?(@size, @most_in_all)

          use_a_file unless @in_file
          @quota.more?(count, @most_in_all)
        end

        # Uses write_nonblock, because IO#write would let other threads run after each part, for a tenth of a second
        # when they are busy.
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
          @io = Input::TemporaryFile.create
          write(text)
        end

        def over(error = nil)
          return if @over

          @over = true
          @whole = @body.whole?
          @body.pause
          error ? release : prepare
          @ready.call(error)
        end

        def prepare
          @io.trailers = @body.trailers if @whole
          @io.rewind
        end
      end
    end
  end
end
