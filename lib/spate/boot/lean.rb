# frozen_string_literal: true

module Spate
  module Boot
    # What Ruby's own start would have loaded, where it was started with --disable-gems: RubyGems and what makes error
    # messages better, from the image. Measured: 40 ms become 10.
    #
    # Nearly half of RubyGems' start evaluates the gemspecs of Ruby's default gems, for a question that is never asked
    # once Bundler has set up: that waits for the first who asks (DefaultGems). The better messages cost 2 ms from the
    # image; to load them later would gain no more, and show in NameError's ancestors: they are loaded as ever.
    module Lean
      autoload :DefaultGems, "#{FOLDER}/lean/default_gems"

      # On the $LOAD_PATH while RubyGems loads: its hook for the Ruby's implementers is found there first.
      HOOK = "#{FOLDER}/lean".freeze

      class << self
        # true, or why not.
        def start
          return "RubyGems is loaded already" if defined?(::Gem::VERSION)

          with_hook { rubygems }
          true
        end

        # What Ruby loads where it is started without --disable-gems, but for the messages.
        def rubygems
          return if defined?(::Gem::VERSION)

          @messages = true
          # Ruby's own start defines the module before it loads the library.
          Object.const_set(:Gem, Module.new) unless defined?(::Gem)
          require "rubygems"
        end

        # Since 3.5 RubyGems sets a child's bundle up before Ruby goes on to better messages.
        def bundle_first? = ::Gem::VERSION.to_f >= 3.5

        # The rest of what Ruby's start loads, once.
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
