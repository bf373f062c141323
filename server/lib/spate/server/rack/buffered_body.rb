# frozen_string_literal: true

require "stringio"
require "tmpdir"

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

        # Limits the space of all buffered bodies of a process: a fixed amount of memory, and files. Bodies in memory do
        # not wait for bodies that fill the files.
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

          # Reserves this many more bytes in memory, if possible.
          def memory?(count)
            @mutex.synchronize { @memory + count <= MEMORY && @memory += count }
          end

          # Reserves another file for `count` bytes that are in memory now, if possible. most: maximum bytes in all
          # files.
          def file?(count, most)
            @mutex.synchronize do
              next false if @files >= @most_files || @on_disk + count > most

              @files += 1
              @on_disk += count
              @memory -= count
              true
            end
          end

          # Reserves this many more bytes of a file, if possible.
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

        # An unnamed or unlinked file, which disappears when the process ends.
        #
        # @!visibility private
        module TemporaryFile
          # Raised when no folder for temporary files exists.
          class Missing < StandardError
          end

          # Opens a file in TMPDIR. Raises SystemCallError or Missing.
          def self.open
            nameless(folder)
          rescue Errno::EOPNOTSUPP, Errno::EISDIR, Errno::ENOENT, Errno::EINVAL # unsupported by file system or kernel
            named
          end

          def self.folder
            Dir.tmpdir
          rescue ArgumentError => e
            raise Missing, e.message
          end

          def self.nameless(folder)
            raise Errno::EOPNOTSUPP unless defined?(File::TMPFILE)

            File.open(folder, File::RDWR | File::TMPFILE | File::BINARY, 0o600)
          end

          def self.named
            require "tempfile"
            Tempfile.create("spate-body", binmode: true).tap { |file| File.unlink(file.path) }
          end
          private_class_method :folder, :nameless, :named
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
