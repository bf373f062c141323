# frozen_string_literal: true

require "support/fault_proxy"

module CI
  # Before a cache, which gets no document: whoever sends one waits for its answer until it ends.
  class HeldUploads < FaultProxy
    # An object each time that somebody is waiting.
    attr_reader :waiting

    def initialize(...)
      super
      @waiting = Thread::Queue.new
    end

    def respond(request)
      return super unless request.verb == "PUT" && request.path.include?("/ac/")

      @waiting << true
      sleep
    end
  end
end
