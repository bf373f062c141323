# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      class Scheduler
        # Streams of one urgency that have something to send: RFC 9218, section 10. Those that are incremental share; of
        # those that are not, the oldest request is served to its end. Where there are both, they take turns: neither
        # starves the other.
        class Level
          def initialize
            @shared = []  # in the order of their turns
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
