# frozen_string_literal: true

module Spate
  module CLI
    class Command
      # Options of Bundler's commands that Spate passes to Bundler, and those that have no effect in Spate.
      module BundlerOptions
        # Passed to Bundler, with a message: command => its options and subcommands.
        LEFT = {
          "install" => %w[--standalone --binstubs --shebang --trust-policy --target-rbconfig --redownload --force
                          --no-lock],
          "list" => %w[--paths --name-only --only-group --without-group --format],
          "check" => %w[--dry-run --path],
          "doctor" => %w[ssl diagnose --ssl]
        }.freeze
        # Spate never fetches a full index without need and never writes vendor/cache, so these options change nothing.
        NEEDLESS = %w[--full-index --no-cache --no-prune --prefer-local].freeze

        # The word in argv that makes Bundler run this command, or nil.
        def self.left(command, argv)
          left = LEFT[command] or return
          words = argv.take_while { |word| word != "--" }.map { |word| word.split("=", 2).first }
          words.find { |word| left.include?(word) }
        end

        def self.without_needless(argv) = argv.reject { |word| NEEDLESS.include?(word) }
      end
    end
  end
end
