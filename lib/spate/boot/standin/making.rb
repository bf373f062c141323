# frozen_string_literal: true

require "tmpdir"

module Spate
  module Boot
    module Standin
      # Asks the real Bundler in a child process that is heard, and notes how everything that it looked at is now. What
      # changed while it looked makes the record one that is never used.
      class Making
        # RubyGems' word on default gems that it activated for itself, which a program by the stand-in has not.
        AMBIGUOUS = /^WARN: Unresolved or ambiguous specs.*?^Please report a bug if this causes problems\.\n/m

        # store: for the verdict that the same run tells, nil where it is not to be kept.
        def initialize(location, settings, store)
          @location = location
          @settings = settings
          @store = store
          @env = Ground::Environment.clean(settings.env)
          @observation = Gemfile::Observation.new(location, @env, :standin)
        end

        def bytes
          deaf = Gemfile::Observation.obstacle and return refusal([deaf], again: false)

          result, policy = listen
          remember(result, policy) if @store && policy
          refused = refused(result, policy)
          return refusal(refused, basis: policy && Gemfile::Fingerprint.take(policy, @location, @env).first) if refused.any?

          basis, reasons = basis(policy)
          return refusal(reasons) if reasons.any?

          root = @location.root
          Record.bytes({ refused: nil, ruby: Record.ruby, basis: basis, gemfile: @location.gemfile, root: root,
                         folder: (root unless policy.elsewhere) }, *result.told[:standin].values_at(:facts, :more))
        end

        private

        # [Gemfile::Observation::Result, Policy]. In a folder where nothing is: whoever asks for something there depends on
        # where the program runs, and is asked again in the application's.
        def listen
          Dir.mktmpdir("spate-elsewhere-") do |folder|
            heard = heard(File.realpath(folder), folder: folder)
            return heard unless heard.last&.here?
          end
          heard(nil)
        end

        def heard(elsewhere, **options)
          result = @observation.call(**options)
          [result, (Policy.new(result, @location, :standin, elsewhere: elsewhere) if result.told)]
        end

        # Whether the lockfile agrees, so that the next install need not ask.
        def remember(result, policy)
          known = { location: @location, settings: @settings, store: @store }
          return if Gemfile::Verdict.recall(**known)

          verdict = Gemfile::Policy.new(result, @location, :verdict, elsewhere: policy.elsewhere)
          Gemfile::Verdict.keep(result.told[:verdict], verdict, **known)
        end

        # Why there is none, as long as what Bundler looked at is the same.
        def refused(result, policy)
          last = result.printed.lines.last.to_s.chomp
          return ["Bundler does not run: #{last}"] unless policy

          about = policy.refusals.map { |reason| "the Gemfile, or a gemspec, #{reason}" }
          about << "the Gemfile, or Bundler, prints: #{last}" unless result.printed.gsub(AMBIGUOUS, "").empty?
          [*result.told[:standin][:refused], *about]
        end

        # As Gemfile::Fingerprint.of answers it. Where times prove nothing: what is the same before and after a second look
        # was what that look saw.
        def basis(policy)
          found = Gemfile::Fingerprint.of(policy, @location, @env)
          return found if found.last.any? || !policy.unproven?

          before = lasting(policy)
          again = listen
          same = refused(*again).empty? && lasting(again.last) == before
          same ? found : [nil, ["what Bundler looks at changes just now"]]
        end

        def lasting(policy) = Gemfile::Fingerprint.take(policy, @location, @env, portable: true)

        # again: whether another try may end otherwise at once.
        def refusal(reasons, basis: nil, again: basis.nil?)
          Record.bytes({ refused: reasons.uniq.join("; "), again: again, basis: basis, gemfile: @location.gemfile,
                         root: @location.root })
        end
      end
    end
  end
end
