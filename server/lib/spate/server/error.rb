# frozen_string_literal: true

module Spate
  module Server
    # The server cannot be started as configured: a folder is missing, a port is in use. The message states facts on one
    # line.
    class Error < StandardError
      EXIT_CODE = 9

      # @return [String, nil] one line that names the remedy
      attr_reader :hint

      # @param message [String, nil]
      # @param hint [String, nil]
      def initialize(message = nil, hint: nil)
        super(message)
        @hint = hint
      end

      # @return [Integer] the exit code of a program that fails with this error
      def exit_code = self.class::EXIT_CODE

      # @!visibility private

      # The system's error text without the call and the path, because our messages contain these already.
      def self.reason(error)
        error.is_a?(SystemCallError) ? SystemCallError.new(nil, error.errno).message : error.message
      end
    end

    # Ends the connection, in both protocols: the peer broke a rule, or the write buffer has no room for the output.
    class ConnectionError < StandardError; end

    # Raised for an invalid command line.
    class UsageError < Error
      EXIT_CODE = 2
    end
  end
end
