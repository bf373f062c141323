# frozen_string_literal: true

require "optparse"

module Spate
  module Server
    class CommandLine
      # Logs, health and metrics, profiles.
      module MonitoringOptions
        HOST = "127.0.0.1"
        HEALTH = Monitoring::Admin::HEALTH

        module_function

        def logs(parser, values)
          parser.separator "\nLogs:"
          parser.on("--access-log FILE", "log each request; - for the standard output (none)") do |value|
            values[:access_log] = value
          end
          parser.on("--log-format FORMAT", Monitoring::AccessLog::FORMATS.keys,
                    "format of the access log: #{Monitoring::AccessLog::FORMATS.keys.join(", ")} (json)") do |value|
            values[:log_format] = value
          end
        end

        def admin(parser, values)
          parser.separator "\nMonitoring:"
          parser.on("--admin [HOST:]PORT",
                    "#{HEALTH}, #{Monitoring::Admin::METRICS} on a separate port (none; HOST: #{HOST})") do |value|
            values[:admin] = address(value)
          end
          parser.on("--health", "#{HEALTH} on the main port, too") { values[:health] = true }
        end

        # "9090", "localhost:9090" or "[::1]:9090" => [host, port]
        def address(text)
          host, port = text.match(/\A(?:\[?([^\[\]]+)\]?:)?(\d{1,5})\z/)&.captures
          return [host || HOST, port.to_i] if port && port.to_i < 65_536

          raise OptionParser::InvalidArgument, "#{text}: neither PORT nor HOST:PORT"
        end

        def profile(parser, values)
          parser.separator "\nProfiling:"
          parser.on("--profile FILE", "record where time goes, from start to end, with the gem vernier or",
                    "stackprof: .html (a page that needs no tool) or .json (the gem's own)") do |path|
            set(values, :profile, writable(path))
          end
          add_signal(parser, values)
          add_details(parser, values)
          parser.on("--profile-convert FROM,TO", Array,
                    "write the page TO (.html) of the profile FROM (.json), and exit") do |two|
            raise OptionParser::InvalidArgument, "#{two.join(",")}: expected two files, FROM,TO" if two.size != 2

            values[:profile_convert] = two
          end
        end

        def add_signal(parser, values)
          name = "SIG#{Profile::Signals::NAME}"
          parser.on("--profile-on-signal FILE", "#{name} starts a profile, and the next one writes it beside FILE,",
                    "named with the process's id and a count (default: spate-serve.html in the",
                    "folder for temporary files); with several workers, signal one of them") do |path|
            set(values, :on_signal, writable(path))
          end
          seconds = Profile::Signals::SECONDS
          parser.on("--profile-seconds N", Integer, "end of a profile without a second signal (#{seconds})") do |count|
            raise OptionParser::InvalidArgument, "#{count}: the minimum is 1" unless count.positive?

            set(values, :seconds, count)
          end
        end

        def add_details(parser, values)
          parser.on("--profile-rate N", Integer, "samples per second (#{Profile::RATE})") do |rate|
            raise OptionParser::InvalidArgument, "#{rate}: expected 1 to 10000" unless rate.between?(1, 10_000)

            set(values, :rate, rate)
          end
          names = Profile::PROFILERS
          parser.on("--profiler NAME", names, "#{names.join(" or ")} (default: the first one installed)") do |name|
            set(values, :profiler, name)
          end
        end

        def set(values, key, value) = (values[:profile] ||= {})[key] = value

        # Checks the path at the start, because the file is written only when the server ends.
        def writable(path)
          Profile.ending(path)
          folder = File.dirname(File.expand_path(path))
          return path if File.directory?(folder) && File.writable?(folder)

          reason = File.directory?(folder) ? "permission denied" : "not a directory"
          raise Error.new("#{path} cannot be written: #{folder}: #{reason}", hint: "choose another FILE")
        end
        private_class_method :address, :add_signal, :add_details, :set, :writable
      end
    end
  end
end
