# frozen_string_literal: true

require_relative "call_trace"
require_relative "hooks"
require_relative "check"

module Spate
  module Gemfile
    module Child
      # Evaluates the Gemfile once and reports whether the lockfile agrees and, if requested and all gems are installed,
      # the effects of Bundler.setup. The report is sent even if the Gemfile raises, exits or prints.
      class Run
        # The value of Native::FILE_CLOCK; no extension is loaded here yet.
        CLOCK = %i[CLOCK_REALTIME_COARSE CLOCK_REALTIME].find { |name| Process.const_defined?(name) }

        attr_reader :calls, :hooks, :gemfile, :lockfile, :before

        def initialize(output, gemfile, lockfile, flags, before)
          @output = output
          @gemfile = gemfile
          @lockfile = lockfile
          @flags = flags
          @before = before
          @hooks = Hooks.new(CodeOrigin.new, named: before[:named])
          @calls = CallTrace.new(@hooks.origin, before: preloaded.any?)
          @check = Check.new(lockfile)
          @told = { parts: {} }
        end

        # From here on the tracer records everything that the process reads from the machine.
        def enter(socket, aside)
          @hooks.listing_aside(socket, aside)
          @told[:entered] = Process.clock_gettime(Process.const_get(CLOCK), :nanosecond)
          Native::Tracer.enter(socket)
        end

        def call(wanted)
          survey = survey() if wanted == "replay"
          Bundler.ui = Bundler::UI::Silent.new
          @hooks.install
          settle
          definition = evaluate
          mark(:check)
          Bundler.ui = @before[:ui]
          @told[:replay] = survey.call(definition) if survey
        ensure
          tell
        end

        # Traces the block's calls.
        def watched(&) = @calls.watch(&)

        # Assigns to this answer everything learned so far, and the entries recorded before this name was requested.
        def mark(answer)
          ENV.fetch("SPATE_TRACED_#{answer.upcase}", nil)
          @told[:parts][answer] = {
            volatile: @calls.refused | @hooks.refused, learnt: @calls.learnt | @hooks.learnt, globs: @hooks.globs,
            runs: @hooks.runs, asked: @hooks.asked, native: native, defaults: defaults
          }
          # Comes last because it evaluates again.
          @told[:parts][answer][:volatile] |= @hooks.deciding
        end

        # The exception of the evaluation, or nil.
        def failure = @check.failure

        private

        def survey
          require_relative "survey"
          Survey.new(self)
        end

        # The command's flags take precedence over files. Credentials of sources are ignored, as in newer Bundlers;
        # version 2.3 has a setting to ignore them.
        def settle
          Bundler.settings.temporary(allow_deployment_source_credential_changes: true)
          @flags.each do |flag|
            name, value = flag.split("=", 2)
            Bundler.settings.temporary(name.to_sym => value)
          end
        end

        def evaluate
          watched do
            definition = Bundler.ui.silence { build }
            @check.of(definition)
            definition
          end
        rescue Exception => e # rubocop:disable Lint/RescueException -- `exit` and syntax errors in a Gemfile too
          @check.failed(e)
          nil
        end

        def build
          usual = [Bundler.default_gemfile, Bundler.default_lockfile].map(&:to_s) == [@gemfile, @lockfile]
          return Bundler.definition if usual

          Bundler::Definition.build(Pathname.new(@gemfile), Pathname.new(@lockfile), nil)
        end

        def tell
          mark(:check) if @told[:parts].empty?
          told = @told.merge(check: @check.facts(@hooks), **places)
          @output.binmode
          @output << Marshal.dump(told)
          @output.close
        end

        def places
          { gem_path: (@before[:gem_path] | Gem.path), gem_path_now: Gem.path, gem_home: @before[:gem_path],
            home: Gem.user_home, preloaded: preloaded,
            default_specifications: Gem.default_specifications_dir, libraries: @hooks.origin.libraries }
        end

        def preloaded
          @before[:features].select { |path| path.start_with?("/") && @hooks.origin.kind(path) == :own }
        end

        # Ruby's default gems that have been loaded since, if the application loads something.
        def defaults = @calls.learnt.include?(:library) ? Gem.loaded_specs.keys - @before[:loaded] - ["bundler"] : []

        # C libraries that are not part of Ruby: it is unknown which parts of a file they use.
        def native
          ($LOADED_FEATURES - @before[:features]).any? do |path|
            !path.end_with?(".rb") && @hooks.origin.kind(path) == :own
          end
        end
      end
    end
  end
end
