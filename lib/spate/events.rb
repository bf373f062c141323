# frozen_string_literal: true

module Spate
  # The events of a run, sent once to each listener: the progress line, the plain log, the JSON lines.
  # Thread safe: fetching, unpacking and building emit from their own threads.
  class Events
    def initialize
      @listeners = []
      @mutex = Mutex.new
    end

    # Calls the block with each later event, on the thread that emits it.
    #
    # @yieldparam event [Hash{Symbol => Object}] `:event` (Symbol) and its facts; see docs/events.md
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
