# frozen_string_literal: true

module Spate
  module CLI
    # Options of `bundle install` that Spate leaves to Bundler, and the ones that change nothing here.
    module BundlerOptions
      # Handed over, with one line that says so.
      LEFT = %w[--standalone --binstubs --shebang --trust-policy --target-rbconfig --redownload --force].freeze
      # No index is asked for without need, and vendor/cache is never written: these are how Spate works anyway.
      NEEDLESS = %w[--full-index --no-cache --no-prune --prefer-local].freeze

      # The option in argv that makes Bundler do this install, or nil.
      def self.left(argv)
        words = argv.take_while { |word| word != "--" }.map { |word| word.split("=", 2).first }
        words.find { |word| LEFT.include?(word) }
      end

      def self.without_needless(argv) = argv.reject { |word| NEEDLESS.include?(word) }
    end
  end
end
