# frozen_string_literal: true

module Spate
  module Server
    # Raised when the server cannot start as configured, for example because a port is in use. The message is one line.
    class Error < StandardError
      EXIT_CODE = 9

      # @return [String, nil] one line that suggests a fix
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

      # The system's error text without the call and the path, because the server's messages already contain these.
      def self.reason(error)
        error.is_a?(SystemCallError) ? SystemCallError.new(nil, error.errno).message : error.message
      end
    end

    # Ends a connection of either protocol, because the peer violated the protocol or the output does not fit into the
    # write buffer.
    class ConnectionError < StandardError; end

    # Raised for an invalid command line.
    class UsageError < Error
      EXIT_CODE = 2
    end
  end
end
