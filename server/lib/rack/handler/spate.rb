# frozen_string_literal: true

require "rack/handler"
require "spate/server"

module Rack
  module Handler
    # The same for Rack 2, whose own program rackup is.
    module Spate
      extend ::Spate::Server::Rack::Rackup
    end

    register :spate, Spate
  end
end
