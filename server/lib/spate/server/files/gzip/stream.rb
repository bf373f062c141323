# frozen_string_literal: true

require "forwardable"
require "spate/zlib"

module Spate
  module Server
    class Files
      class Gzip
        # A file as gzip, coded while it is sent: another thread does a piece whenever little waits, and does not wait
        # for the client. A Body.
        class Stream
          extend Forwardable

          # Bytes of the file that are coded at once, and those that may wait before the next piece.
          PIECE = 131_072
          LOW = 65_536
          GZIP = 31

          def_delegators :@queue, :length, :ready?, :on_ready, :drained?, :done?, :at_hand

          # found: open; it belongs to the body. threads: a ThreadPool.
          def initialize(found, threads)
            @queue = Response::Body::Queue.new
            @found = found
            @threads = threads
            @deflate = Zlib::Deflate.new(Gzip::LEVEL, GZIP)
            @offset = 0
            @lock = Mutex.new
            @working = @through = false
            work
          end

          def frames(...) = @queue.frames(...).tap { work }
          def raw(...) = @queue.raw(...).tap { work }

          def close
            @queue.close
            @found.close
          end

          private

          def work = @lock.synchronize { go_on }

          def go_on
            return if @working || @through || at_hand >= LOW

            @working = @found.hold
            @threads.post { step } if @working
          end

          def step
            @through = true unless piece
          rescue StandardError => e
            @through = true
            @queue.fail(e)
          ensure
            rest
          end

          # The piece may already have been sent, by a sender that found us at work.
          def rest
            @found.release
            @lock.synchronize do
              @working = false
              go_on if at_hand.zero?
            end
          end

          # Goes on until there is something to send; nil at the end.
          def piece
            while (length = [PIECE, @found.size - @offset].min).positive?
              bytes = @found.read(@offset, length)
              changed if bytes.empty?
              @offset += bytes.bytesize
              coded = @deflate.deflate(bytes)
              return @queue.push(coded) unless coded.empty?
            end
            last
          end

          def last
            changed if @found.altered?
            @queue.push(@deflate.finish)
            @deflate.close
            @queue.finish
            nil
          end

          def changed = raise(Response::Body::Truncated, "#{@found.path} changed while it was sent")
        end
      end
    end
  end
end
