# frozen_string_literal: true

module Spate
  module Server
    class CommandLine
      # What is written about requests.
      module LogOptions
        def self.add(parser, values)
          parser.separator "\nLogs:"
          parser.on("--access-log FILE", "a line for each request; - for the standard output (none)") do |value|
            values[:access_log] = value
          end
          parser.on("--log-format FORMAT", Monitoring::AccessLog::FORMATS.keys,
                    "of these lines: #{Monitoring::AccessLog::FORMATS.keys.join(", ")} (json)") do |value|
            values[:log_format] = value
          end
        end
      end
    end
  end
end
