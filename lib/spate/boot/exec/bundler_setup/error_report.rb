# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      module BundlerSetup
        # Reports an error of the real Bundler's setup like an error of Spate: one message, a hint, a documented exit
        # code, and a backtrace only on request. Loaded only after such an error.
        module ErrorReport
          # Environment variables that request backtraces. Bundler uses DEBUG.
          VERBOSE = %w[SPATE_VERBOSE DEBUG].freeze
          MISSING = /\ACould not find (?:compatible versions of )?(?:gem )?(.+?)(?:,? which is required .+)? in .+\z/
          NOT_CHECKED_OUT = /not yet checked out/

          class << self
            # error: a Bundler::BundlerError.
            def print_and_exit(error)
              BootEnd.give_up
              code = Boot.with_library do
                require "spate"
                require "spate/boot/exec/bundler_setup/errors"
                words = VERBOSE.any? { |name| !ENV[name].to_s.empty? } ? ["--verbose"] : []
                terminal = Util::Terminal.new(out: $stdout, err: $stderr, env: ENV)
                Util::Failure.new(of(error), argv: words, terminal: terminal).report
              end
              exit code
            end

            # A Spate::Error with the backtrace of Bundler's error.
            def of(error)
              translated(error).tap { |ours| ours.set_backtrace(error.backtrace) }
            end

            private

            def translated(error)
              case error
              when ::Bundler::GemfileNotFound then no_gemfile
              when ::Bundler::GemfileError, ::Bundler::GemspecError then evaluation(error)
              when ::Bundler::LockfileError then lockfile(error)
              when ::Bundler::GemNotFound then missing(error)
              when ::Bundler::GitError then git(error)
              else SetupFailed.new(error)
              end
            end

            def no_gemfile
              named = ENV["BUNDLE_GEMFILE"].to_s
              named.empty? ? Gemfile::NotFound.new(Dir.pwd) : Gemfile::NotFound.new(named, named: true)
            end

            def evaluation(error)
              Gemfile::EvaluationFailed.new(application.gemfile, ErrorReport.lines(error))
            end

            # Parses the lockfile with Spate's parser, whose errors include the line.
            def lockfile(error)
              path = application.lockfile
              Lockfile.parse(File.binread(path), path: path)
              SetupFailed.new(error)
            rescue Error => e
              e
            rescue SystemCallError
              SetupFailed.new(error)
            end

            # Newer Bundler versions list all missing gems, older ones only the first.
            def missing(error)
              names = ErrorReport.lines(error).first.to_s[MISSING, 1]
              Incomplete.new(names ? names.delete("'`").split(", ") : [], ErrorReport.lines(error))
            end

            def git(error)
              return SetupFailed.new(error) unless error.message.match?(NOT_CHECKED_OUT)

              Incomplete.new([], [ErrorReport.lines(error).first.sub(/ Please run.*/, "")])
            end

            def application = Application.find
          end

          # The lines of the message, without the colours that Bundler uses on a terminal.
          def self.lines(error)
            error.message.gsub(/\e\[[\d;]*m/, "").lines(chomp: true).reject { |line| line.strip.empty? }
          end
        end
      end
    end
  end
end
