# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      class Scheduler
        # Streams of one urgency that have something to send (RFC 9218, section 10). Incremental streams share the
        # bandwidth. Other streams are served one after another, the oldest request first. The two groups alternate, so
        # that neither starves.
        class Level
          def initialize
            @shared = []  # in round-robin order
            @ordered = [] # by identifier
            @ordered_next = true
          end

          def empty? = @shared.empty? && @ordered.empty?

          def add(stream)
            return @shared << stream if stream.incremental?

            at = @ordered.bsearch_index { |other| other.id > stream.id } || @ordered.size
            @ordered.insert(at, stream)
          end

          def shift
            return @shared.shift if @ordered.empty?
            return @ordered.shift if @shared.empty?

            @ordered_next = !@ordered_next
            @ordered_next ? @shared.shift : @ordered.shift
          end

          def delete(stream)
            @shared.delete(stream) || @ordered.delete(stream)
          end
        end
      end
    end
  end
end
