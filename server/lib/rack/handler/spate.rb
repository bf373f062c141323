# frozen_string_literal: true

require "rack/handler"
require "spate/server"

module Rack
  module Handler
    # The handler for Rack 2, which still contained the program rackup.
    module Spate
      extend ::Spate::Server::Rack::Rackup
    end

    register :spate, Spate
  end
end
