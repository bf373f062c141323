# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # Archives that wait to be unpacked. Gems with extensions come first: a build takes longer than unpacking all the
      # others, which goes on beside it. A closed queue still hands out what it holds.
      class UnpackQueue
        # Compressed bytes of the metadata that are looked at: `extensions` stands before the list of files.
        HEAD = 4096
        EXTENSIONS = /^extensions:\n- /
        FIRST = "metadata.gz\0"
        SIZE = (124...136)
        BLOCK = 512

        def initialize
          @native = []
          @others = []
          @mutex = Mutex.new
          @changed = ConditionVariable.new
          @closed = false
        end

        # archive: Archive of the item. Raises ClosedQueueError.
        def push(item, archive)
          native = native?(archive.path)
          @mutex.synchronize do
            raise ClosedQueueError, "the queue is closed" if @closed

            (native ? @native : @others) << [item, archive]
            @changed.signal
          end
        end

        # Waits for [item, archive]; nil once the queue is closed and empty.
        def pop
          @mutex.synchronize do
            loop do
              entry = @native.shift || @others.shift
              return entry if entry || @closed

              @changed.wait(@mutex)
            end
          end
        end

        def close
          @mutex.synchronize do
            @closed = true
            @changed.broadcast
          end
        end

        private

        # A guess, on which only the order depends: an archive in any other form is unpacked, or refused, when its turn
        # comes.
        def native?(path)
          require "zlib"
          head = File.binread(path, BLOCK + HEAD) || ""
          return false unless head.start_with?(FIRST)

          compressed = head.byteslice(BLOCK, head[SIZE].to_s.oct.clamp(0, HEAD)) || ""
          EXTENSIONS.match?(inflate(compressed))
        rescue Zlib::Error, SystemCallError
          false
        end

        def inflate(compressed)
          stream = Zlib::Inflate.new(Zlib::MAX_WBITS + 16)
          stream.inflate(compressed)
        ensure
          stream&.close
        end
      end
    end
  end
end
