# frozen_string_literal: true

module Spate
  # What every room may use, and what uses none of them.
  module Ground
    {
      Cancelled: "retries", Child: "child", Environment: "environment", Failure: "failure", JsonLines: "json_lines",
      Processors: "processors", Retriable: "retries", Retries: "retries", Ruby: "ruby", Suggestion: "suggestion",
      Terminal: "terminal"
    }.each { |name, file| autoload name, "#{__dir__}/ground/#{file}.rb" } # by their paths, as a boot loads them

    # A URI (or text that holds one) as it may be shown: without user and password.
    def self.redact(text) = text.to_s.gsub(%r{(://)[^/\s]+@}, '\1')
  end
end
