# frozen_string_literal: true

module Spate
  module Server
    # The server cannot do what it was told: a folder that is not there, a port that is taken. The message states facts
    # on one line; what to do about them is the hint's to say (String or nil).
    class Error < StandardError
      EXIT_CODE = 9

      attr_reader :hint

      def initialize(message = nil, hint: nil)
        super(message)
        @hint = hint
      end

      def exit_code = self.class::EXIT_CODE

      # What the system says of an error, without the call and the path: messages name those in their own words.
      def self.reason(error)
        error.is_a?(SystemCallError) ? SystemCallError.new(nil, error.errno).message : error.message
      end
    end

    # Ends its connection, in either protocol: the peer's fault, or the write buffer has no room for what is to be sent.
    class ConnectionError < StandardError; end

    # The command line could not be understood.
    class UsageError < Error
      EXIT_CODE = 2
    end
  end
end
