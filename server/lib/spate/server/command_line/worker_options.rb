# frozen_string_literal: true

require "etc"

module Spate
  module Server
    class CommandLine
      # Processes, and how they end.
      module WorkerOptions
        MOST = 1024

        def self.add(parser, values)
          parser.separator "\nProcesses:"
          parser.on("-w", "--workers N", Integer, "processes that share the port, 0 for one a processor (1)") do |value|
            raise OptionParser::InvalidArgument, "#{value}: 0 to #{MOST}" unless value.between?(0, MOST)

            values[:workers] = value.zero? ? Etc.nprocessors : value
          end
          parser.on("--[no-]yjit", "compile Ruby code that is hot (on from Ruby 3.3)") { |value| values[:yjit] = value }
          parser.on("--drain SECONDS", Float, "#{Limits[:drain].text} (#{Limits[:drain].default})") do |value|
            raise OptionParser::InvalidArgument, "#{value}: less than nothing" if value.negative?

            values[:drain] = value
          end
          parser.on("--pid-file FILE", "write the process's number there") { |value| values[:pid_file] = value }
        end
      end
    end
  end
end
