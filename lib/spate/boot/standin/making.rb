# frozen_string_literal: true

require "tmpdir"

module Spate
  module Boot
    module Standin
      # Asks the real Bundler in a child process that is heard, and notes how everything that it looked at is now. What
      # changed while it looked makes the record one that is never used.
      class Making
        MARK = "SPATE_HEARD_STANDIN"
        # RubyGems' word on default gems that it activated for itself, which a program by the stand-in has not.
        AMBIGUOUS = /^WARN: Unresolved or ambiguous specs.*?^Please report a bug if this causes problems\.\n/m
        FACTS = %i[
          bundler lib gemfile lockfile root bundle_path rubygems env_saved env_set env_deleted env_composed load_path
          specs loaded all named bundled dependencies constants autoloads marks replayed library
          public_gem warns_of_bundled require_switch program_paths requires_formerly
        ].freeze

        # What one run told: Gemfile::Hearing::Result, Policy, and the folder that its answer depends on, nil where it
        # depends on none.
        Look = Struct.new(:result, :policy, :folder) do
          def said = result.told[:standin]
        end

        def initialize(location, settings)
          @location = location
          @env = Gemfile::Environment.clean(settings.env)
          @hearing = Gemfile::Hearing.new(location, @env, :standin)
        end

        def bytes
          require_relative "../../ear"
          deaf = Ear.available?
          return refusal(["nothing can be heard here: #{deaf}"]) unless deaf == true

          look = listen
          refused = refused(look)
          return refusal(refused) if refused.any?

          basis, reasons = basis(look)
          return refusal(reasons, again: true) if reasons.any?

          Record.bytes({ refused: nil, ruby: Validity.ruby, basis: basis, gemfile: @location.gemfile,
                         root: @location.root, folder: look.folder }, look.said.slice(*FACTS), look.said[:more])
        end

        private

        # In a folder where nothing is: whoever asks for something there depends on where the program runs, and is asked
        # again in the application's.
        def listen
          Dir.mktmpdir("spate-elsewhere-") do |folder|
            Dir.mkdir(File.join(folder, Policy::ASIDE))
            look = heard(folder, folder: folder, named: true)
            return look unless look.policy&.here?
          end
          heard(nil)
        end

        def heard(elsewhere, **options)
          result = @hearing.call(**options)
          policy = Policy.new(result, @location, MARK, elsewhere: elsewhere) if result.told
          Look.new(result, policy, elsewhere ? nil : @location.root)
        end

        # Why there is never to be one.
        def refused(look)
          last = look.result.printed.lines.last.to_s.chomp
          return ["Bundler does not run: #{last}"] unless look.result.told

          printed = look.result.printed.gsub(AMBIGUOUS, "")
          about = look.policy.refusals.map { |reason| "the Gemfile, or a gemspec, #{reason}" }
          [*look.said[:refused], *about, *("the Gemfile, or Bundler, prints: #{last}" unless printed.empty?)]
        end

        # As Gemfile::Settled.basis answers it.
        def basis(look)
          found = Gemfile::Settled.basis(look.result, @location, @env, MARK, policy: look.policy)
          return found if found.last.any? || look.policy.watched.none? { |path| unproven?(path, look.result) }

          same?(look) ? found : [nil, ["what Bundler looks at changes just now"]]
        end

        # Whether times say nothing of when a file changed. What is the same before and after a second look was what
        # that look saw.
        def unproven?(path, result)
          stamp = Native.stat(path) or return false

          !Native.doubt(path, *stamp.values_at(0, 1, 2, 4), result.told[:entered]).nil?
        end

        def same?(look)
          before = lasting(look)
          again = listen
          refused(again).empty? && lasting(again) == before
        end

        # Without times.
        def lasting(look) = Gemfile::Basis.take(look.policy.entries, look.policy.globs, @location, @env, portable: true)

        def refusal(reasons, again: false)
          Record.bytes({ refused: reasons.uniq.join("; "), again: again })
        end
      end
    end
  end
end
