# frozen_string_literal: true

module Spate
  module CLI
    class Command
      # Options of Bundler's commands that Spate leaves to it, and the ones that change nothing here.
      module BundlerOptions
        # Handed over, with one line that says so: command => its options and subcommands.
        LEFT = {
          "install" => %w[--standalone --binstubs --shebang --trust-policy --target-rbconfig --redownload --force
                          --no-lock],
          "list" => %w[--paths --name-only --only-group --without-group --format],
          "check" => %w[--dry-run --path],
          "doctor" => %w[ssl diagnose --ssl]
        }.freeze
        # No index is asked for without need, and vendor/cache is never written: these are how Spate works anyway.
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
