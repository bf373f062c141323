# frozen_string_literal: true

module Spate
  module Server
    # The server cannot be started as configured: a folder is missing, a port is in use. The message states facts on one
    # line; the hint (String or nil) names the remedy.
    class Error < StandardError
      EXIT_CODE = 9

      attr_reader :hint

      def initialize(message = nil, hint: nil)
        super(message)
        @hint = hint
      end

      def exit_code = self.class::EXIT_CODE

      # The system's text for an error without the call and the path, which our messages name themselves.
      def self.reason(error)
        error.is_a?(SystemCallError) ? SystemCallError.new(nil, error.errno).message : error.message
      end
    end

    # Ends its connection, in either protocol: the peer broke a rule, or the write buffer has no room for the output.
    class ConnectionError < StandardError; end

    # Invalid command line.
    class UsageError < Error
      EXIT_CODE = 2
    end
  end
end
