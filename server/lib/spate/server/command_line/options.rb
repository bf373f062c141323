# frozen_string_literal: true

require "etc"
require "optparse"

module Spate
  module Server
    class CommandLine
      # Options for addresses, TLS, processes and limits.
      module ProcessOptions
        MOST = 1024
        # Limits without a --limit- option. `drain` is set by --drain.
        ELSEWHERE = %i[drain].freeze

        module_function

        def listening(parser, values)
          parser.separator "\nListening:"
          parser.on("--host ADDRESS", "address to listen on; 0.0.0.0 or :: for all (127.0.0.1);",
                    "or unix:PATH for a Unix socket") do |value|
            values.delete(:more)
            values[:host] = value
          end
          parser.on("-p", "--port NUMBER", Integer, "port to listen on; 0 for any free port (8080)") do |value|
            raise OptionParser::InvalidArgument, "#{value}: expected 0 to 65535" unless value.between?(0, 65_535)

            values.delete(:more)
            values[:port] = value
          end
          parser.on("--proxy-protocol", "each connection begins with a PROXY header (version 1 or 2) that has the",
                    "client's address; use it only behind a proxy") { values[:proxy_protocol] = true }
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
            raise OptionParser::InvalidArgument, "#{value}: expected 0 to #{MOST}" unless value.between?(0, MOST)

            values[:workers] = value.zero? ? Etc.nprocessors : value
          end
          parser.on("--[no-]yjit", "compile hot Ruby code (default: on from Ruby 3.3)") do |value|
            values[:yjit] = value
          end
          parser.on("--drain SECONDS", Float, "#{Limits[:drain].text} (#{Limits[:drain].default})") do |value|
            raise OptionParser::InvalidArgument, "#{value}: expected 0 or more" if value.negative?

            values[:drain] = value
          end
          parser.on("--worker-timeout SECONDS", Float,
                    "replace a worker that does not respond; 0 for never (#{Program::WORKER_TIMEOUT})") do |value|
            least = Program::LEAST_TIMEOUT
            unless value.zero? || value >= least
              raise OptionParser::InvalidArgument,
                    "#{value}: expected 0 or at least #{least}"
            end

            values[:worker_timeout] = value.zero? ? nil : value
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

      # Starts YJIT. Ruby 3.3 can start YJIT at run time. Ruby 3.1 and 3.2 can only start it together with the
      # interpreter, so the command executes itself again. These versions allocate 256 MB for code by default; a server
      # needs 8 MB.
      module YJIT
        ARGUMENTS = %w[--yjit --yjit-exec-mem-size=8].freeze

        # wanted: true, false, or nil to start YJIT only if the running Ruby can do so. command: a Workers::Command.
        # Either returns, or replaces the process with `exec`. Raises Server::Error when this Ruby has no YJIT.
        def self.start(wanted, command)
          return if wanted == false || (built? && RubyVM::YJIT.enabled?)
          return RubyVM::YJIT.enable if built? && RubyVM::YJIT.respond_to?(:enable)
          return if wanted.nil?
          raise Error.new("this Ruby has no YJIT (#{RUBY_DESCRIPTION})", hint: "omit --yjit") unless built?

          ruby, *words = command.words
          # close_others: false keeps sockets open that come from systemd or from the old server of a hot restart.
          Process.exec(ruby, *ARGUMENTS, *words, close_others: false)
        end

        def self.built? = defined?(RubyVM::YJIT) ? true : false
        private_class_method :built?
      end

      # Options for logs, health checks, metrics and profiles.
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

          raise OptionParser::InvalidArgument, "#{text}: expected PORT or HOST:PORT"
        end

        def profile(parser, values)
          parser.separator "\nProfiling:"
          parser.on("--profile FILE", "record a profile, from start to end, with the gem vernier or",
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
            raise OptionParser::InvalidArgument, "#{count}: expected 1 or more" unless count.positive?

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
