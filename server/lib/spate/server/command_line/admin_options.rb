# frozen_string_literal: true

module Spate
  module Server
    class CommandLine
      # Health and metrics.
      module AdminOptions
        HOST = "127.0.0.1"
        HEALTH = Monitoring::Admin::HEALTH

        def self.add(parser, values)
          parser.separator "\nWatching:"
          parser.on("--admin [HOST:]PORT",
                    "#{HEALTH}, #{Monitoring::Admin::METRICS} on a port of their own (none; HOST: #{HOST})") do |value|
            values[:admin] = address(value)
          end
          parser.on("--health", "#{HEALTH} on the main port, too") { values[:health] = true }
        end

        # "9090", "localhost:9090" or "[::1]:9090" => [host, port]
        def self.address(text)
          host, port = text.match(/\A(?:\[?([^\[\]]+)\]?:)?(\d{1,5})\z/)&.captures
          return [host || HOST, port.to_i] if port && port.to_i < 65_536

          raise OptionParser::InvalidArgument, "#{text}: neither PORT nor HOST:PORT"
        end
        private_class_method :address
      end
    end
  end
end
