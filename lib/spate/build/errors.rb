# frozen_string_literal: true

module Spate
  module Build
    # A native extension failed to build. Details: the relevant lines of its log. #log: path of the whole log.
    class BuildError < Error
      EXIT_CODE = 10

      attr_reader :full_name, :command, :log

      # command: the failed command, as a shell would read it, or nil. reason: "exit code 2", or nil.
      def initialize(full_name, command: nil, reason: nil, log: nil, hint: nil, details: [])
        @full_name = full_name
        @command = command
        @log = log
        text = "#{full_name}: its native extension failed to build#{" (#{reason})" if reason}"
        more = { "failing command" => command, "full log" => log }.compact.map { |name, value| "#{name}: #{value}" }
        super([text, *more].join("; "), hint: hint, details: details)
      end
    end
  end
end
