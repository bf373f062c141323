# frozen_string_literal: true

module Spate
  module Server
    class CommandLine
      # A configuration file in Ruby with puma's directives: config/spate.rb or config/puma.rb. Each directive sets the
      # value of a command-line option. docs/puma.md lists all directives.
      class Configuration
        autoload :Directives, "spate/server/command_line/configuration/directives"
        autoload :Unsupported, "spate/server/command_line/configuration/unsupported"

        # Files next to the config.ru. The first one that exists is read.
        FILES = %w[config/spate.rb config/puma.rb].freeze
        # The number of workers in WEB_CONCURRENCY and in `workers`.
        WORKERS = /\A\s*(\d{1,4}|auto)\s*\z/

        # Values for a Rack application from the environment variables of puma. Raises Server::Error.
        def self.environment(env)
          values = {}
          port = env["PORT"].to_s
          count = env["WEB_CONCURRENCY"].to_s
          values[:port] = number("PORT", port) unless port.empty?
          values[:workers] = workers(count) unless count.strip.empty?
          values
        end

        def self.number(name, text)
          return text.to_i if text.match?(/\A\d{1,5}\z/)

          raise Error.new("#{name} is #{text.inspect}; expected a number", hint: "unset it, or correct it")
        end
        private_class_method :number

        # "3", 3, "auto" or :auto => a number of processes of at least 1.
        def self.workers(count)
          text = count.to_s[WORKERS, 1]
          if text.nil? || text.to_i > ProcessOptions::MOST
            raise Error.new("#{count.inspect} workers; expected auto or 0 to #{ProcessOptions::MOST}",
                            hint: "WEB_CONCURRENCY=2, or workers 2")
          end
          require "etc"
          text == "auto" ? Etc.nprocessors : [text.to_i, 1].max
        end

        # Returns the path of the file that belongs to a config.ru, or nil.
        def self.find(rackup)
          FILES.map { |name| File.join(File.dirname(rackup), name) }.find { |path| File.file?(path) }
        end

        # path: the file. values: those of the command line; only the number of workers is used. Raises Server::Error.
        def initialize(path, values = {})
          @path = path
          @directives = Directives.new(path, values)
          load
        end

        # The values of the options that the file sets. `:limits` is a Hash, `:hooks` has Arrays of blocks by name.
        def values = @directives.values

        # Lines about directives without effect.
        def notes = @directives.notes

        private

        def load
          @directives.load(@path)
          @directives.finish
        rescue Server::Error
          raise
        rescue ScriptError, StandardError => e
          raise Error.new("#{@path}: #{e.message.lines.first.to_s.chomp} (#{e.class})",
                          hint: "correct the file, or use another one: --config FILE")
        end
      end
    end
  end
end
