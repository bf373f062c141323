# frozen_string_literal: true

require "optparse"

module Spate
  module Server
    # The command `spate-serve`. `run` returns the exit code. Each group of options is a method of a module in
    # command_line/. The method declares the options and stores their values in a Hash.
    class CommandLine
      autoload :Configuration, "spate/server/command_line/configuration"
      autoload :ContentOptions, "spate/server/command_line/content_options"
      autoload :MonitoringOptions, "spate/server/command_line/options"
      autoload :ProcessOptions, "spate/server/command_line/options"
      autoload :Program, "spate/server/command_line/program"
      autoload :YJIT, "spate/server/command_line/options"

      # Groups of options in the order of the help text, each with the module that has a method of this name.
      GROUPS = { listening: :ProcessOptions, tls: :ProcessOptions, files: :ContentOptions, rack: :ContentOptions,
                 cache: :ContentOptions, processes: :ProcessOptions, logs: :MonitoringOptions,
                 admin: :MonitoringOptions, profile: :MonitoringOptions, limits: :ProcessOptions }.freeze
      UNITS = { nil => 0, "K" => 10, "M" => 20, "G" => 30, "T" => 40 }.freeze
      USAGE = ["usage: spate-serve DIR [options]", "       spate-serve --rack config.ru [options]",
               "       spate-serve --cache DIR [options]"].freeze
      # Columns of the help text. WIDTH: an option's name. COLUMNS: a whole line.
      WIDTH = 34
      COLUMNS = 108
      DEFAULTS = { host: "127.0.0.1", port: 8080, workers: 1, log_format: "json" }.freeze
      EXAMPLES = <<~TEXT

        Examples:
            spate-serve public                          http://127.0.0.1:8080, HTTP/2 and HTTP/1.1
            spate-serve public --tls --port 8443        https with a generated certificate for localhost
            spate-serve --rack config.ru --workers 0    a Rack application, one process per processor
            spate-serve --cache builds                  a cache that a team shares
            spate-serve . --access-log - --admin 9090   access log on the standard output, metrics on port 9090

        Signals:
            TERM, INT    stop after open requests (--drain); a second time: at once
            HUP          read the certificate again and reopen the access log
            USR2         hot restart with the current program and files; no request is lost

        Exit codes: 0 stopped, 2 usage, 9 failed to start.
      TEXT

      # Parses the value of an option in bytes: "65536", "64K", "20G". Returns nil for anything else.
      def self.size(text)
        digits, unit = text.match(/\A(\d+)([KMGT])?\z/)&.captures
        digits && (Integer(digits, 10) << UNITS.fetch(unit))
      end

      # The values before the command line is parsed. configuration: a Configuration, or nil. environment: values from
      # environment variables, which the configuration overrides.
      def self.preset(configuration, environment)
        values = DEFAULTS.merge(environment)
        return values unless configuration

        read = configuration.values
        values.merge(read, limits: Limits.new(**read[:limits]), notes: configuration.notes)
      end

      def initialize(argv, out: $stdout, err: $stderr, env: ENV, program: $PROGRAM_NAME)
        @argv = argv
        @out = out
        @err = err
        @env = env
        @command = Workers::Command.new(program, argv, env)
      end

      def run
        values = parse or return 0
        return convert(*values[:profile_convert]) if values[:profile_convert]

        YJIT.start(values[:yjit], @command)
        Program.new(values, command: @command, out: @out, err: @err, env: @env).run
      rescue OptionParser::ParseError, UsageError => e
        @err.puts "error: #{e.message}", "hint: #{hint(e)}"
        2
      rescue Server::Error => e
        @err.puts "error: #{e.message}", *(e.hint && "hint: #{e.hint}")
        e.exit_code
      end

      # Omits the environment, which may contain tokens, from error messages.
      def inspect = "#<#{self.class}>"

      private

      # Returns a Hash, or nil after --help or --version. A configuration file sets values before the command line does,
      # so the command line is parsed again after it.
      def parse
        given = read({}) or return
        return given if given[:profile_convert]

        configuration = configuration(given)
        environment = given[:rack] || configuration ? Configuration.environment(@env) : {}
        values = read(CommandLine.preset(configuration, environment))
        values[:rack] = rackup(given, configuration)
        several(values.values_at(:folder, :rack, :cache).compact)
        values
      end

      def read(values)
        parser = options(values)
        names = parser.parse(@argv)
        return tell("#{wrapped(parser.help)}#{EXAMPLES}") if values.delete(:help)
        return tell("spate-serve #{VERSION}") if values.delete(:version)
        raise UsageError, "expected one folder, got #{names.join(", ")}" if names.size > 1

        values.merge(folder: names.first)
      end

      def convert(from, to)
        @out.puts Profile.convert(from, to)
        0
      end

      # Returns the Configuration that --config names, or the one of the Rack application; otherwise nil.
      def configuration(given)
        path = given[:config] || (given[:rack] && Configuration.find(given[:rack]))
        Configuration.new(path, given) if path && path != "none"
      end

      # The path of the config.ru, or nil. The one of a configuration file is relative to its `directory`.
      def rackup(given, configuration)
        folder = configuration&.values&.fetch(:directory, nil)
        return folder ? File.expand_path(given[:rack]) : given[:rack] if given[:rack]
        return if configuration.nil? || given[:folder] || given[:cache]

        path = configuration.values[:rack] || "config.ru"
        folder ? File.expand_path(path, folder) : path
      end

      # Requires exactly one of a folder, --rack and --cache.
      def several(served)
        if served.empty?
          raise UsageError.new("nothing to serve", hint: "spate-serve DIR, --rack config.ru or --cache DIR")
        end
        return if served.one?

        raise UsageError.new("expected a folder, a Rack application or a cache, got #{served.join(" and ")}",
                             hint: "to serve an application and files, use Rack::Static in config.ru")
      end

      def options(values)
        OptionParser.new do |parser|
          parser.banner = USAGE.join("\n")
          parser.summary_width = WIDTH
          parser.separator "\nServes a folder, a Rack application or the cache of a team, over HTTP/2 and HTTP/1.1."
          GROUPS.each { |group, owner| CommandLine.const_get(owner).public_send(group, parser, values) }
          parser.separator "\nMore:"
          parser.on("--version", "the version") { values[:version] = true }
          parser.on("-h", "--help", "this help") { values[:help] = true }
        end
      end

      # Wraps long descriptions.
      def wrapped(help)
        margin = 4 + WIDTH + 1
        help.gsub(/^.{#{COLUMNS + 1},}$/) do |line|
          text = line[margin..].gsub(/(.{1,#{COLUMNS - margin}})(?: +|$)/, "\\1\n#{" " * margin}")
          line[0, margin] + text.rstrip
        end
      end

      def hint(error) = (error.hint if error.is_a?(Server::Error)) || "spate-serve --help"

      def tell(text)
        @out.puts text
        nil
      end
    end
  end
end
