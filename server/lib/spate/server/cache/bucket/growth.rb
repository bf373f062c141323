# frozen_string_literal: true

module Spate
  module Server
    class Cache
      class Bucket
        # A file while it comes, for those who are sent it meanwhile: what a body of its bytes waits for, as a
        # Files::ReadAhead is. The last byte is not told of before all are found to be what they are called: nobody
        # ever has the whole of something else. Written on one thread, read on the reactor's.
        class Growth
          # Bytes in all.
          attr_reader :length

          # path: of the file, which is written elsewhere without a buffer. SystemCallError.
          def initialize(path, length)
            @file = File.open(path, File::RDONLY | File::BINARY)
            @length = length
            @came = 0
            @readers = []
            @starving = false
            @mutex = Mutex.new
          end

          # For one who is sent it. SystemCallError.
          def body = Response::Body::FileRange.new(@file.dup, 0, @length, ahead: self)

          # So many bytes are in the file.
          def came(count) = tell([count, @length - 1].min)

          # It is as it should be; or it has an end before its time now, which its readers find.
          def over = tell(@length)

          # Nobody else will be sent it.
          def close = @file.close

          # Once `allowance` answered 0, the block is called through `mailbox.post` when there is more.
          def on_ready(mailbox, &block)
            @mutex.synchronize { @readers << [mailbox, block] }
          end

          # Bytes from `position` on that can be read.
          def allowance(position)
            @mutex.synchronize do
              @starving = true if @came <= position
              [@came - position, 0].max
            end
          end

          private

          def tell(came)
            readers = @mutex.synchronize do
              @came = came
              next [] unless @starving

              @starving = false
              @readers.dup
            end
            readers.each { |mailbox, block| mailbox ? mailbox.post(&block) : block.call }
          end
        end
      end
    end
  end
end
