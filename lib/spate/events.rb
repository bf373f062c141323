# frozen_string_literal: true

module Spate
  # The events of a run, sent once to each listener: the progress line, the plain log, the JSON lines.
  # Thread safe: fetching, unpacking and building emit from their own threads.
  class Events
    def initialize
      @listeners = []
      @mutex = Mutex.new
    end

    # Yields each later event: a Hash with :event (Symbol) and its facts.
    def subscribe(&listener)
      @mutex.synchronize { @listeners << listener }
      self
    end

    def emit(kind, **facts)
      return if @listeners.empty?

      event = { event: kind, **facts }
      @mutex.synchronize { @listeners.each { |listener| listener.call(event) } }
    end
  end
end
