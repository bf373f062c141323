# frozen_string_literal: true

module Spate
  module Boot
    class WarmParent
      # Watches for what the application reads while it is loaded and the tracer cannot see: the program's name,
      # its arguments, standard input, and the environment as a whole. `report` has lines for CLI::Warm::Maker.
      #
      #   program                 `$0` was read
      #   environment             all variables were read, including those of the session
      #   ARGV: FILE:LINE         the arguments were read
      class Reads
        # Files whose reads are ignored: optparse extends ARGV when it is loaded; Bundler and RubyGems look for their
        # own variables.
        ARGUMENTS_UNUSED = %r{/optparse\.rb\z}
        ENVIRONMENT_UNUSED = %r{\A#{Regexp.escape(LIBRARY)}/|/(?:bundler|rubygems)(?:/|\.rb\z)}
        # Methods of ENV that use all variables. Enumerable's call #each.
        WHOLE = %i[each each_pair each_key each_value keys values to_h to_hash to_a select filter reject invert inspect
                   key rassoc value? has_value? size length empty? clone].freeze

        class << self
          # The active Reads, or nil.
          attr_accessor :active
        end

        def initialize
          @found = {}
        end

        def start
          Reads.active = self
          watch_environment
          watch_arguments
          Native::Warm.watch_program { add("program") }
        end

        def stop
          Reads.active = nil
          Native::Warm.unwatch_program
          ::Object.const_set(:ARGV, @arguments) unless ::Object.const_defined?(:ARGV, false)
        end

        def report = @found.keys

        def add(line) = @found[line] = true

        def arguments_read(location)
          add("ARGV: #{location.path}:#{location.lineno}") unless ARGUMENTS_UNUSED.match?(location.path)
          @arguments
        end

        def environment_read(location) = (add("environment") unless ENVIRONMENT_UNUSED.match?(location.path))

        private

        def watch_environment
          names = WHOLE & ENV.methods
          ENV.singleton_class.prepend(Module.new do
            names.each do |name|
              define_method(name) do |*arguments, &block|
                Reads.active&.environment_read(caller_locations(1, 1).first)
                super(*arguments, &block)
              end
            end
          end)
        end

        # A missing constant, so that each read calls const_missing.
        def watch_arguments
          @arguments = ::Object.send(:remove_const, :ARGV)
          ::Module.prepend(Module.new do
            def const_missing(name)
              return super unless name == :ARGV && Reads.active

              Reads.active.arguments_read(caller_locations(1, 1).first)
            end
          end)
        end
      end
    end
  end
end
