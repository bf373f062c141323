# frozen_string_literal: true

require "tmpdir"

module Spate
  module Gemfile
    module Setup
      # Creates a record: runs the real Bundler in a traced child process, and records all its inputs. If an input
      # changes meanwhile, the record is not usable.
      class Recorder
        # A warning of RubyGems about default gems that it has activated itself. A Bundler replay does not activate
        # them.
        AMBIGUOUS = /^WARN: Unresolved or ambiguous specs.*?^Please report a bug if this causes problems\.\n/m

        # store: where to store the Gemfile check of the same run, or nil.
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
                    *result.report[:replay].values_at(:facts, :more))
        end

        private

        # Returns [Observation::Result, Policy]. Runs Bundler in an empty folder first. If the Gemfile accesses a path
        # in it, it depends on the working directory, and is evaluated again in the application's folder.
        def listen
          Dir.mktmpdir("spate-elsewhere-") do |folder|
            trace = trace(File.realpath(folder), folder: folder)
            return trace unless trace.last&.depends_on_folder?
          end
          trace(nil)
        end

        def trace(elsewhere, **options)
          result = @observation.call(**options)
          [result, (Policy.new(result, @location, :replay, elsewhere: elsewhere) if result.report)]
        end

        # Stores the Gemfile check, so that the next install need not run Bundler.
        def remember(result, policy)
          known = { location: @location, settings: @settings, store: @store }
          return if Check.recall(**known)

          check = Gemfile::Policy.new(result, @location, :check, elsewhere: policy.elsewhere)
          Check.keep(result.report[:check], check, **known)
        end

        # The reasons why a Bundler replay is impossible while Bundler's inputs are unchanged.
        def refused(result, policy)
          last = result.printed.lines.last.to_s.chomp
          return ["Bundler does not run: #{last}"] unless policy

          about = policy.refusals.map { |reason| "the Gemfile, or a gemspec, #{reason}" }
          about += policy.writes.map { |path| "the Gemfile, a gemspec or Bundler would write #{path}" }
          about << "the Gemfile, or Bundler, prints: #{last}" unless result.printed.gsub(AMBIGUOUS, "").empty?
          [*result.report[:replay][:refused], *about]
        end

        # Returns the result of Fingerprint.of. If times are not reliable, runs Bundler again and compares the inputs
        # before and after that run, to detect changes during it.
        def fingerprint(policy)
          found = Fingerprint.of(policy, @location, @env)
          return found if found.last.any? || !policy.times_unreliable?

          before = portable_fingerprint(policy)
          again = listen
          same = refused(*again).empty? && portable_fingerprint(again.last) == before
          same ? found : [nil, ["files changed while Bundler read them"]]
        end

        def portable_fingerprint(policy) = Fingerprint.take(policy, @location, @env, portable: true)

        # again: whether another attempt may succeed immediately.
        def refusal(reasons, fingerprint = nil, again: fingerprint.nil?)
          Record.of(@location, { refused: reasons.uniq.join("; "), again: again, fingerprint: fingerprint })
        end
      end
    end
  end
end
