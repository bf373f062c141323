# frozen_string_literal: true

require "etc"
require "optparse"

module Spate
  module Server
    class CommandLine
      # How the server runs: addresses, TLS, processes, limits.
      module ProcessOptions
        MOST = 1024
        # Limits that have their own option: --drain.
        ELSEWHERE = %i[drain].freeze

        module_function

        def listening(parser, values)
          parser.separator "\nListening:"
          parser.on("--host ADDRESS", "address to listen on; 0.0.0.0 or :: for all (127.0.0.1)") do |value|
            values[:host] = value
          end
          parser.on("-p", "--port NUMBER", Integer, "port to listen on; 0 for any free port (8080)") do |value|
            raise OptionParser::InvalidArgument, "#{value}: 0 to 65535" unless value.between?(0, 65_535)

            values[:port] = value
          end
        end

        # Sets values[:tls] (true), values[:cert] and values[:key] (paths); a certificate implies TLS.
        def tls(parser, values)
          parser.separator "\nTLS:"
          parser.on("--tls", "use TLS; without --cert, with a generated certificate for localhost") do
            values[:tls] = true
          end
          parser.on("--cert FILE", "certificate chain in PEM, the server's first; read again on SIGHUP") do |path|
            values.update(tls: true, cert: path)
          end
          parser.on("--key FILE", "its private key in PEM (default: in the certificate's file)") do |path|
            values.update(tls: true, key: path)
          end
        end

        def processes(parser, values)
          parser.separator "\nProcesses:"
          parser.on("-w", "--workers N", Integer,
                    "processes that share the port; 0 for one per processor (1)") do |value|
            raise OptionParser::InvalidArgument, "#{value}: 0 to #{MOST}" unless value.between?(0, MOST)

            values[:workers] = value.zero? ? Etc.nprocessors : value
          end
          parser.on("--[no-]yjit", "compile hot Ruby code (default: on from Ruby 3.3)") do |value|
            values[:yjit] = value
          end
          parser.on("--drain SECONDS", Float, "#{Limits[:drain].text} (#{Limits[:drain].default})") do |value|
            raise OptionParser::InvalidArgument, "#{value}: must not be negative" if value.negative?

            values[:drain] = value
          end
          parser.on("--pid-file FILE", "write the process id to this file") { |value| values[:pid_file] = value }
        end

        # parser: an OptionParser. values: a Hash; `values[:limits]` becomes a Limits.
        def limits(parser, values)
          values[:limits] ||= Limits.defaults
          offered = Limits::DEFINITIONS.reject { |limit| ELSEWHERE.include?(limit.name) }
          offered.group_by(&:group).each do |group, limits_of_group|
            parser.separator "\nLimits: #{group.downcase}"
            limits_of_group.each { |limit| option(parser, values[:limits], limit) }
          end
        end

        def option(parser, limits, limit)
          words = ["--limit-#{limit.name.to_s.tr("_", "-")} #{limit.unit}", "#{limit.text} #{default(limit)}"]
          parser.on(*words) do |text|
            limits[limit.name] = number(text, limit)
          rescue ArgumentError => e
            raise OptionParser::InvalidArgument, "#{text}: #{e.message[/[^:]+\z/].strip}"
          end
        end

        def default(limit) = "(#{limit.default || "none"})"

        # Parses a limit's value. Seconds may have a fraction, bytes a suffix K, M or G.
        def number(text, limit)
          return nil if text == "none" && limit.optional
          return Float(text) if limit.unit == "SECONDS"

          CommandLine.size(text) or raise ArgumentError
        rescue TypeError, ArgumentError
          raise ArgumentError, "not a number"
        end
        private_class_method :option, :default, :number
      end
    end
  end
end
