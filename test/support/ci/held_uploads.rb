# frozen_string_literal: true

require "support/fault_proxy"

module CI
  # Before a cache, which gets no document: whoever sends one waits for its answer until it ends.
  class HeldUploads < FaultProxy
    # The bytes that somebody waits with, each time.
    attr_reader :waiting

    def initialize(...)
      super
      @waiting = Thread::Queue.new
    end

    def respond(request)
      return super unless request.verb == "PUT" && request.path.include?("/ac/")

      @waiting << request.body
      sleep
    end
  end
end
