# frozen_string_literal: true

require "support/fault_proxy"

module CI
  # A proxy that does not pass documents to the cache. An upload waits for its response until the client exits.
  class HeldUploads < FaultProxy
    # The bytes of each waiting upload.
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
