# frozen_string_literal: true

require "tmpdir"

module Spate
  module Gemfile
    module Setup
      # Makes a record: runs the real Bundler in a traced child process, and records the state of all its inputs. If an
      # input changes in the meantime, the record will never be used.
      class Recorder
        # RubyGems' warning about default gems that it activated internally, which a Bundler replay does not do.
        AMBIGUOUS = /^WARN: Unresolved or ambiguous specs.*?^Please report a bug if this causes problems\.\n/m

        # store: stores the Gemfile check of the same run; may be nil.
        def initialize(location, settings, store = nil)
          @location = location
          @settings = settings
          @store = store
          @env = Util::Environment.clean(settings.env)
          @observation = Observation.new(location, @env, :replay, read_only: true)
        end

        # Returns a Record.
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

        # [Observation::Result, Policy]. Runs in an empty folder first: if the Gemfile accesses something in it, the
        # Gemfile depends on the program's folder, and is evaluated again in the application's folder.
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

        # Stores whether the lockfile agrees, so that the next install need not run Bundler.
        def remember(result, policy)
          known = { location: @location, settings: @settings, store: @store }
          return if Check.recall(**known)

          check = Gemfile::Policy.new(result, @location, :check, elsewhere: policy.elsewhere)
          Check.keep(result.told[:check], check, **known)
        end

        # Why a Bundler replay is refused, as long as Bundler's inputs are unchanged.
        def refused(result, policy)
          last = result.printed.lines.last.to_s.chomp
          return ["Bundler does not run: #{last}"] unless policy

          about = policy.refusals.map { |reason| "the Gemfile, or a gemspec, #{reason}" }
          about += policy.writes.map { |path| "the Gemfile, a gemspec or Bundler would write #{path}" }
          about << "the Gemfile, or Bundler, prints: #{last}" unless result.printed.gsub(AMBIGUOUS, "").empty?
          [*result.told[:replay][:refused], *about]
        end

        # As returned by Fingerprint.of. If times prove nothing, Bundler runs again; inputs that are the same before and
        # after that run are the inputs of that run.
        def fingerprint(policy)
          found = Fingerprint.of(policy, @location, @env)
          return found if found.last.any? || !policy.unproven?

          before = lasting(policy)
          again = listen
          same = refused(*again).empty? && lasting(again.last) == before
          same ? found : [nil, ["files changed while Bundler read them"]]
        end

        def lasting(policy) = Fingerprint.take(policy, @location, @env, portable: true)

        # again: whether another attempt may succeed immediately.
        def refusal(reasons, fingerprint = nil, again: fingerprint.nil?)
          Record.of(@location, { refused: reasons.uniq.join("; "), again: again, fingerprint: fingerprint })
        end
      end
    end
  end
end
