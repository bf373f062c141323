# frozen_string_literal: true

module Spate
  module Server
    module Rack
      class BufferedBody
        # What all bodies of a process take that wait for their applications, or are with them: some of its memory, and
        # files. Bodies in memory do not wait for those that fill the files.
        class Quota
          # Bytes in memory; what is beyond goes to files, however short it is.
          MEMORY = 67_108_864
          # Of the descriptors that this process may have. Connections need some, too.
          SHARE = 2

          def initialize(files: Process.getrlimit(Process::RLIMIT_NOFILE).first / SHARE)
            @most_files = files
            @mutex = Mutex.new
            @files = @on_disk = @memory = 0
          end

          # Bytes now.
          attr_reader :memory

          def bytes = @mutex.synchronize { @memory + @on_disk }

          # Whether so many bytes more may be in memory; they are from here on.
          def memory?(count)
            @mutex.synchronize { @memory + count <= MEMORY && @memory += count }
          end

          # Whether there may be another file, for so many bytes that are in memory; they are there from here on. most:
          # bytes in all files.
          def file?(count, most)
            @mutex.synchronize do
              next false if @files >= @most_files || @on_disk + count > most

              @files += 1
              @on_disk += count
              @memory -= count
              true
            end
          end

          # Whether a file may have so many bytes more.
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

          # Whether more than half is taken: time to hurry.
          def memory_crowded? = @memory * 2 > MEMORY
          def files_crowded?(most) = @on_disk * 2 > most || @files * 2 > @most_files
        end
      end
    end
  end
end
