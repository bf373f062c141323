# frozen_string_literal: true

module Spate
  module Boot
    class WarmParent
      # Which parent a command can be forked from, as core/front/warm decides it: "application development".
      class Kind
        NONE = %w[new plugin --version -v --help -h].freeze
        TEST = /\At(?:est(?:\z|:)|\z)/
        # The environment is chosen by an option.
        CHOSEN = /\A(?:-e|--environment)/

        # words: of the program. Returns the text, or nil.
        def self.of(words, env) = new(words, env).text

        def initialize(words, env)
          @program = File.basename(words.first.to_s)
          @words = words.drop(1)
          @env = env
        end

        def text
          return if set?("CI") || @env["SPATE_WARM"] == "0"

          name = environment
          "application #{name}" if name && name != "production"
        end

        # Of the process that runs a command: what a parent shares with it without having looked at it.
        def self.state
          limits = (0..15).map { |resource| Process.getrlimit(resource).map { |value| limit(value) }.join(":") }
          nice = Process.getpriority(Process::PRIO_PROCESS, 0)
          format("umask %04o nice %d limits %s", File.umask, nice, limits.join(","))
        end

        # "t" for a terminal, for each of stdin, stdout and stderr.
        def self.streams = [$stdin, $stdout, $stderr].map { |stream| stream.tty? ? "t" : "n" }.join

        def self.limit(value) = value == Process::RLIM_INFINITY ? "-" : value.to_s
        private_class_method :limit

        private

        def environment
          case @program
          when "rails" then rails
          when "rake" then given || "development"
          when "rspec" then given || "test"
          end
        end

        def rails
          return if @words.empty? || NONE.include?(@words.first)
          return if @words.take_while { |word| word != "--" }.any?(CHOSEN)

          first = @words.find { |word| !word.start_with?("-") }
          given || (TEST.match?(first.to_s) ? "test" : "development")
        end

        def given = %w[RAILS_ENV RACK_ENV].map { |name| @env[name].to_s }.find { |value| !value.empty? }
        def set?(name) = !@env[name].to_s.empty?
      end
    end
  end
end
