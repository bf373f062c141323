# frozen_string_literal: true

require_relative "call_trace"
require_relative "hooks"
require_relative "check"

module Spate
  module Gemfile
    module Child
      # Evaluates the Gemfile once and reports whether the lockfile matches. If requested and all gems are installed,
      # also reports the effects of Bundler.setup. The report is sent even if the Gemfile raises, exits or prints.
      class Run
        # The same as Native::FILE_CLOCK, whose extension is not loaded yet.
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
          @report = { parts: {} }
        end

        # Starts the tracer.
        def enter(socket, aside)
          @hooks.listing_aside(socket, aside)
          @report[:entered] = Process.clock_gettime(Process.const_get(CLOCK), :nanosecond)
          Native::Tracer.enter(socket)
        end

        def call(wanted)
          survey = survey() if wanted == "replay"
          Bundler.ui = Bundler::UI::Silent.new
          @hooks.install
          apply_flags
          definition = evaluate
          mark(:check)
          Bundler.ui = @before[:ui]
          @report[:replay] = survey.call(definition) if survey
        ensure
          write_report
        end

        # Traces the block's calls.
        def watched(&) = @calls.watch(&)

        # Stores everything recorded so far as the inputs of this result. Reading the variable marks the position in the
        # trace.
        def mark(answer)
          ENV.fetch("SPATE_TRACED_#{answer.upcase}", nil)
          @report[:parts][answer] = {
            volatile: @calls.refused | @hooks.refused, observed: @calls.observed | @hooks.observed, globs: @hooks.globs,
            runs: @hooks.runs, asked: @hooks.asked, native: native, defaults: defaults
          }
          # Comes last, because it evaluates gemspecs again.
          @report[:parts][answer][:volatile] |= @hooks.deciding
        end

        # The exception of the evaluation, or nil.
        def failure = @check.failure

        private

        def survey
          require_relative "survey"
          Survey.new(self)
        end

        # Applies the command's flags, which take precedence over configuration files. Ignores changed credentials of
        # sources, as newer Bundler versions do; Bundler 2.3 has a setting for this.
        def apply_flags
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

        def write_report
          mark(:check) if @report[:parts].empty?
          report = @report.merge(check: @check.facts(@hooks), **places)
          @output.binmode
          @output << Marshal.dump(report)
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

        # Default gems that have been activated since, if the application has required files.
        def defaults = @calls.observed.include?(:library) ? Gem.loaded_specs.keys - @before[:loaded] - ["bundler"] : []

        # Whether a C extension that is not part of Ruby was loaded. It is unknown which facts about files it uses.
        def native
          ($LOADED_FEATURES - @before[:features]).any? do |path|
            !path.end_with?(".rb") && @hooks.origin.kind(path) == :own
          end
        end
      end
    end
  end
end
