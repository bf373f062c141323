# frozen_string_literal: true

module Spate
  module Server
    module Rack
      class BufferedBody
        # Limits the space of all buffered bodies of a process: a fixed amount of memory, and files. Bodies in memory do
        # not wait for bodies that fill the files.
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
      end
    end
  end
end
