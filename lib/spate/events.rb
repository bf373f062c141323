# frozen_string_literal: true

module Spate
  # Sends the events of a run to its listeners, such as the progress line, the plain log or the JSON lines. Thread safe,
  # since fetching, unpacking and building emit events from their own threads.
  class Events
    def initialize
      @listeners = []
      @mutex = Mutex.new
    end

    # Calls the block with each later event, in the thread that emits it.
    #
    # @yieldparam event [Hash{Symbol => Object}] `:event` (Symbol) and its data; see docs/events.md
    # @return [self]
    def subscribe(&listener)
      @mutex.synchronize { @listeners << listener }
      self
    end

    # Sends an event to all listeners.
    #
    # @param kind [Symbol]
    # @param facts [Hash{Symbol => Object}]
    # @return [void]
    def emit(kind, **facts)
      return if @listeners.empty?

      event = { event: kind, **facts }
      @mutex.synchronize { @listeners.each { |listener| listener.call(event) } }
    end
  end
end
