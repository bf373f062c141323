# frozen_string_literal: true

module Spate
  # What every room may use, and what uses none of them.
  module Ground
    autoload :Cancelled, "spate/ground/retries"
    autoload :Failure, "spate/ground/failure"
    autoload :JsonLines, "spate/ground/json_lines"
    autoload :Processors, "spate/ground/processors"
    autoload :Retriable, "spate/ground/retries"
    autoload :Retries, "spate/ground/retries"
    autoload :Suggestion, "spate/ground/suggestion"
    autoload :Terminal, "spate/ground/terminal"

    # A URI (or text that holds one) as it may be shown: without user and password.
    def self.redact(text) = text.to_s.gsub(%r{(://)[^/\s]+@}, '\1')
  end
end
