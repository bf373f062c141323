# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      # For a Ruby started with --disable-gems: loads the libraries of Ruby's prelude (RubyGems and the error message
      # libraries) from the compile cache. Measured: 10 ms instead of 40.
      #
      # RubyGems spends nearly half of its start evaluating the gemspecs of Ruby's default gems, which are not needed
      # after Bundler's setup. DefaultGems postpones that. The error message libraries take 2 ms from the compile cache.
      # Loading them later would not save time, and programs could notice it in NameError.ancestors.
      module Prelude
        autoload :DefaultGems, "#{FOLDER}/exec/prelude/default_gems"

        # First on $LOAD_PATH while RubyGems loads. RubyGems requires rubygems/defaults/ruby, which is meant for Ruby
        # implementations, and loads it from this folder.
        HOOK = "#{FOLDER}/exec/prelude".freeze

        class << self
          # Returns true, or the reason (String) why it did nothing.
          def start
            return "RubyGems is already loaded" if defined?(::Gem::VERSION)

            with_hook { rubygems }
            true
          end

          # Loads everything that Ruby loads without --disable-gems, except the error message libraries.
          def rubygems
            return if defined?(::Gem::VERSION)

            @messages = true
            # Ruby itself also defines the module Gem before it requires rubygems.
            Object.const_set(:Gem, Module.new) unless defined?(::Gem)
            require "rubygems"
          end

          # Whether RubyGems (3.5 and later) sets up a child's bundle before Ruby loads the error message libraries.
          def bundle_first? = ::Gem::VERSION.to_f >= 3.5

          # Loads the rest of the prelude, once.
          def messages
            return unless @messages

            @messages = false
            %w[error_highlight did_you_mean].each { |name| require_error_helper(name) }
            require_error_helper("syntax_suggest/core_ext") if RUBY_VERSION >= "3.2"
          end

          private

          def with_hook
            $LOAD_PATH.unshift(HOOK)
            yield
          ensure
            $LOAD_PATH.delete(HOOK)
            $LOADED_FEATURES.delete("#{HOOK}/rubygems/defaults/#{RUBY_ENGINE}.rb")
          end

          def require_error_helper(feature)
            DefaultGems.with_only(feature[/\w+/]) { require feature }
          rescue LoadError
            warn "`#{feature[/\w+/]}' was not loaded."
          end
        end
      end
    end
  end
end
