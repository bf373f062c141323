# frozen_string_literal: true

require "spate/error"

module Spate
  module Server
    # The server cannot do what it was told: a folder that is not there, a port that is taken.
    class Error < Spate::Error
      EXIT_CODE = 9
    end
  end
end
