# frozen_string_literal: true

module Spate
  module CLI
    class Command
      # Base class of commands whose arguments go to Bundler. Options are declared for the help and for completion.
      class Delegated < Command
        class << self
          def run(argv, terminal:, env:)
            before_operands = argv.take_while { |word| word != "--" }
            return Help::Text.new(self).print(terminal.out) if before_operands.intersect?(%w[-h --help])

            PassThrough.new(name_on_line, argv, terminal: terminal, env: env).run
          end

          private

          # Options that all of these commands have.
          def shared_options(skip_install: true)
            option :skip_install, "--skip-install", "change Gemfile and lockfile, but do not install" if skip_install
            option :cooldown, "--cooldown", "DAYS", "no versions published in the last DAYS (Bundler 4.0.13 or later)"
            option :quiet, "--quiet", "print only errors"
            option :help, "-h", "--help", "print this help"
          end
        end
      end
    end
  end
end
