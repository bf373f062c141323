# frozen_string_literal: true

require "rackup/handler"
require "spate/server"

module Rackup
  module Handler
    # The handler for `rackup -s spate` and `rails server -u spate`.
    module Spate
      extend ::Spate::Server::Rack::Rackup
    end

    register :spate, Spate
  end
end
