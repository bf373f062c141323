# frozen_string_literal: true

require "tmpdir"

module Spate
  module Gemfile
    module Setup
      # Makes a record: asks the real Bundler, in a traced child process, and notes the state of everything that
      # it looked at. If that changed meanwhile, the record is one that is never used.
      class Recorder
        # RubyGems' warning about default gems that it activated for itself; a Bundler replay does not.
        AMBIGUOUS = /^WARN: Unresolved or ambiguous specs.*?^Please report a bug if this causes problems\.\n/m

        # store: keeps the Gemfile check of the same run, unless nil.
        def initialize(location, settings, store = nil)
          @location = location
          @settings = settings
          @store = store
          @env = Util::Environment.clean(settings.env)
          @observation = Observation.new(location, @env, :replay, read_only: true)
        end

        # Answers a Record.
        def call
          obstacle = Observation.obstacle and return refusal([obstacle], again: false)

          result, policy = listen
          remember(result, policy) if @store && policy
          refused = refused(result, policy)
          return refusal(refused, policy && Fingerprint.take(policy, @location, @env).first) if refused.any?

          fingerprint, reasons = fingerprint(policy)
          return refusal(reasons) if reasons.any?

          Record.of(@location, { fingerprint: fingerprint, folder: (@location.root unless policy.elsewhere) },
                    *result.told[:replay].values_at(:facts, :more))
        end

        private

        # [Observation::Result, Policy]. First in an empty folder: a Gemfile that asks for something there depends on
        # where the program runs, and is evaluated again in the application's.
        def listen
          Dir.mktmpdir("spate-elsewhere-") do |folder|
            trace = trace(File.realpath(folder), folder: folder)
            return trace unless trace.last&.here?
          end
          trace(nil)
        end

        def trace(elsewhere, **options)
          result = @observation.call(**options)
          [result, (Policy.new(result, @location, :replay, elsewhere: elsewhere) if result.told)]
        end

        # Whether the lockfile agrees, so that the next install need not ask.
        def remember(result, policy)
          known = { location: @location, settings: @settings, store: @store }
          return if Check.recall(**known)

          check = Gemfile::Policy.new(result, @location, :check, elsewhere: policy.elsewhere)
          Check.keep(result.told[:check], check, **known)
        end

        # Why a Bundler replay is refused, as long as what Bundler looked at is the same.
        def refused(result, policy)
          last = result.printed.lines.last.to_s.chomp
          return ["Bundler does not run: #{last}"] unless policy

          about = policy.refusals.map { |reason| "the Gemfile, or a gemspec, #{reason}" }
          about += policy.writes.map { |path| "the Gemfile, a gemspec or Bundler would write #{path}" }
          about << "the Gemfile, or Bundler, prints: #{last}" unless result.printed.gsub(AMBIGUOUS, "").empty?
          [*result.told[:replay][:refused], *about]
        end

        # As Fingerprint.of answers it. Where times prove nothing, what is the same before and after a second look is
        # what that look saw.
        def fingerprint(policy)
          found = Fingerprint.of(policy, @location, @env)
          return found if found.last.any? || !policy.unproven?

          before = lasting(policy)
          again = listen
          same = refused(*again).empty? && lasting(again.last) == before
          same ? found : [nil, ["what Bundler looks at changes just now"]]
        end

        def lasting(policy) = Fingerprint.take(policy, @location, @env, portable: true)

        # again: whether another attempt may succeed at once.
        def refusal(reasons, fingerprint = nil, again: fingerprint.nil?)
          Record.of(@location, { refused: reasons.uniq.join("; "), again: again, fingerprint: fingerprint })
        end
      end
    end
  end
end
