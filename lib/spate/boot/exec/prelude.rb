# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      # For a Ruby started with --disable-gems: loads the libraries of Ruby's own prelude (RubyGems and the libraries
      # for better error messages) from the compile cache. Measured: 10 ms instead of 40.
      #
      # Nearly half of RubyGems' start evaluates the gemspecs of Ruby's default gems, which are not needed after
      # Bundler's setup: DefaultGems postpones that. The better messages cost 2 ms from the compile cache; loading them
      # later would gain nothing, and would be visible in NameError's ancestors.
      module Prelude
        autoload :DefaultGems, "#{FOLDER}/exec/prelude/default_gems"

        # First on $LOAD_PATH while RubyGems loads, because RubyGems loads a file for Ruby implementers by this path.
        HOOK = "#{FOLDER}/exec/prelude".freeze

        class << self
          # true, or the reason why not.
          def start
            return "RubyGems is already loaded" if defined?(::Gem::VERSION)

            with_hook { rubygems }
            true
          end

          # Loads everything that Ruby loads without --disable-gems, except the error message libraries.
          def rubygems
            return if defined?(::Gem::VERSION)

            @messages = true
            # Ruby's own start defines the module before it loads the library.
            Object.const_set(:Gem, Module.new) unless defined?(::Gem)
            require "rubygems"
          end

          # Whether RubyGems (3.5 and later) sets up a child's bundle before Ruby loads the better messages.
          def bundle_first? = ::Gem::VERSION.to_f >= 3.5

          # Loads the rest of the prelude, once.
          def messages
            return unless @messages

            @messages = false
            %w[error_highlight did_you_mean].each { |name| better(name) }
            better("syntax_suggest/core_ext") if RUBY_VERSION >= "3.2"
          end

          private

          def with_hook
            $LOAD_PATH.unshift(HOOK)
            yield
          ensure
            $LOAD_PATH.delete(HOOK)
            $LOADED_FEATURES.delete("#{HOOK}/rubygems/defaults/#{RUBY_ENGINE}.rb")
          end

          def better(feature)
            DefaultGems.only(feature[/\w+/]) { require feature }
          rescue LoadError
            warn "`#{feature[/\w+/]}' was not loaded."
          end
        end
      end
    end
  end
end
