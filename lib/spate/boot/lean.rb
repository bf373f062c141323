# frozen_string_literal: true

module Spate
  module Boot
    # What Ruby's own start would have loaded, where it was started with --disable-gems: RubyGems, from the image, and
    # what makes error messages better, when one is first asked for.
    module Lean
      class << self
        # true, or why not.
        def start
          return "RubyGems is loaded already" if defined?(::Gem::VERSION)

          rubygems
          true
        end

        private

        # As Ruby's gem_prelude does it.
        def rubygems
          require "rubygems"
          %w[error_highlight did_you_mean].each { |name| better(name) }
          better("syntax_suggest/core_ext") if RUBY_VERSION >= "3.2"
        end

        def better(feature)
          require feature
        rescue LoadError
          $stderr.puts "`#{feature[/\w+/]}' was not loaded."
        end
      end
    end
  end
end
