# frozen_string_literal: true

module Spate
  module Server
    # What Native::Poller is, where there is no epoll: the work of a turn grows with the descriptors.
    class SelectPoller
      READABLE = 1
      WRITABLE = 2

      def initialize
        @wanted = {}
      end

      def add(descriptor, interest)
        @wanted[descriptor] = [IO.for_fd(descriptor, autoclose: false), interest]
        self
      end
      alias change add

      def remove(descriptor)
        @wanted.delete(descriptor)
        self
      end

      # Fills `ready` with descriptor, state, descriptor, state, ...
      def wait(milliseconds, ready)
        readable, writable = [READABLE, WRITABLE].map do |bit|
          @wanted.each_value.filter_map { |io, interest| io if interest & bit != 0 }
        end
        states = Hash.new(0)
        found = IO.select(readable, writable, nil, milliseconds.negative? ? nil : milliseconds / 1000.0) || [[], []]
        found[0].each { |io| states[io.fileno] |= READABLE }
        found[1].each { |io| states[io.fileno] |= WRITABLE }
        ready.replace(states.to_a.flatten)
      end

      # None tells of all.
      def descriptor = nil

      def close; end
    end
  end
end
