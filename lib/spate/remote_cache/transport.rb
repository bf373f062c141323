# frozen_string_literal: true

module Spate
  module RemoteCache
    # What transports share.
    #
    #   Requests   one request over the connections of gem sources
    #   Answer     what a server answered, within limits, or why it is of no use
    #   Reading    what was read, into memory or a file
    module Transport
      autoload :Answer, "spate/remote_cache/transport/answer"
      autoload :Reading, "spate/remote_cache/transport/reading"
      autoload :Requests, "spate/remote_cache/transport/requests"
    end
  end
end
