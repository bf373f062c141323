# frozen_string_literal: true

module Spate
  module Server
    class CommandLine
      # Where the server listens.
      module ListenOptions
        def self.add(parser, values)
          parser.separator "\nListening:"
          parser.on("--host ADDRESS", "address to listen on; 0.0.0.0 or :: for every one (127.0.0.1)") do |value|
            values[:host] = value
          end
          parser.on("-p", "--port NUMBER", Integer, "port to listen on, 0 for any that is free (8080)") do |value|
            raise OptionParser::InvalidArgument, "#{value}: 0 to 65535" unless value.between?(0, 65_535)

            values[:port] = value
          end
        end
      end
    end
  end
end
