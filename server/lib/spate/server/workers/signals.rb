# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # Makes received signals available through an IO.
      class Signals
        attr_reader :io

        def initialize(*names)
          @names = Thread::Queue.new
          @io, @writer = IO.pipe
          names.each { |name| Signal.trap(name) { note(name) } }
        end

        # Adds a name and wakes the reader. Also used for events other than signals.
        def note(name)
          @names << name
          @writer.write_nonblock("x", exception: false)
        rescue IOError
          nil
        end

        # Returns the names received since the last call.
        def take
          @io.read_nonblock(64, exception: false)
          Array.new(@names.size) { @names.pop }
        end
      end
    end
  end
end
