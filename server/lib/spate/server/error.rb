# frozen_string_literal: true

require "spate/error"

module Spate
  module Server
    # The server cannot do what it was told: a folder that is not there, a port that is taken.
    class Error < Spate::Error
      EXIT_CODE = 9

      # What the system says of an error, without the call and the path: messages name those in their own words.
      def self.reason(error)
        error.is_a?(SystemCallError) ? SystemCallError.new(nil, error.errno).message : error.message
      end
    end
  end
end
