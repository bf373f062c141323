# frozen_string_literal: true

module Spate
  module Build
    # A native extension failed to build. Details: the lines of its log that matter. #log: path of the whole log.
    class BuildError < Error
      EXIT_CODE = 10

      attr_reader :full_name, :command, :log

      # command: the one that failed, as a shell would read it, or nil. reason: "exit code 2", or nil.
      def initialize(full_name, command: nil, reason: nil, log: nil, hint: nil, details: [])
        @full_name = full_name
        @command = command
        @log = log
        super(message_for(reason), hint: hint, details: details)
      end

      private

      def message_for(reason)
        text = +"#{full_name}: its native extension failed to build"
        text << " (#{reason})" if reason
        text << "; failing command: #{command}" if command
        text << "; full log: #{log}" if log
        text
      end
    end
  end
end
