# frozen_string_literal: true

require "tmpdir"

module Spate
  module Gemfile
    # A child process in which Bundler evaluates a Gemfile once, under a tracer. If tracing is unavailable, the answer
    # is not cached. In the background the child cannot change files: it may outlive the command that started it, while
    # the user works in the application.
    class Observation
      SCRIPT = File.expand_path("child/main.rb", __dir__)
      # The variable with the socket of the second tracer.
      ASIDE = "SPATE_TRACER_ASIDE"
      # told: Hash of plain values (child/run.rb); nil if the child ended before its report. printed: the Gemfile's
      # output. signal: the number of the signal that ended the child, or nil. trace: Tracer::Trace; nil if tracing was
      # unavailable.
      Result = Struct.new(:told, :printed, :signal, :trace)

      # Why tracing is unavailable here (String), or nil.
      def self.obstacle
        require_relative "../tracer"
        reason = Tracer.available?
        "file accesses cannot be traced here: #{reason}" unless reason == true
      end

      # environment: of the user's shell. wanted: :check or :replay (both). flags: ["name=value"]. read_only: whether
      # changing a file is an error.
      def initialize(location, environment, wanted, flags: [], read_only: false)
        @location = location
        @environment = environment
        @wanted = wanted
        @flags = flags
        @read_only = read_only
      end

      # Returns a Result. folder: where the child runs. Retries after a crash, which Ruby 3.1.2 occasionally causes.
      def call(folder: @location.root)
        result = evaluate(folder)
        result.signal && !@cancelled ? evaluate(folder) : result
      end

      # Ends the child because its answer is no longer needed.
      def cancel
        @cancelled = true
        @child&.kill(:TERM)
      end

      private

      def evaluate(folder)
        return run(folder, nil) if Observation.obstacle

        # Ruby's own library changes only together with Ruby.
        own = RbConfig::CONFIG.values_at("rubylibdir", "rubyarchdir").compact
        aside do |other|
          trace = Tracer.trace(ignore: own, read_only: @read_only) { |tracer| run(folder, tracer, other) }
          trace.value.tap { |result| result.trace = trace }
        end
      end

      # The restriction starts before the child enters the tracer, so that code loaded by RUBYOPT cannot write either.
      def confined = [*(Tracer::ReadOnly.confined if @read_only), "--disable-gems"]

      # A second tracer, whose record is ignored, for an untraced process of the child (child/git_ls_files.rb).
      def aside(&)
        @read_only ? Tracer.trace(hooks: false, read_only: true, &).value : yield(nil)
      end

      def run(folder, tracer, aside = nil)
        printed, printed_end = IO.pipe(binmode: true)
        options = { chdir: folder, %i[out err] => printed_end, **tracer&.options.to_h, **aside&.options.to_h }
        Util::Child.run(variables(tracer, aside), *confined, SCRIPT, *arguments(tracer), **options) do |child|
          @child = child
          cancel if @cancelled
          printed_end.close
          reader = Thread.new { printed.read }.tap { |thread| thread.report_on_exception = false }
          Result.new(child.value, reader.value, child.status.termsig)
        end
      ensure
        [printed, printed_end].each { |pipe| pipe&.close }
      end

      def arguments(tracer)
        [tracer ? Tracer.binding_path : "-", @location.gemfile, @location.lockfile, @wanted.to_s,
         named, *@flags]
      end

      # The value of BUNDLE_GEMFILE that a Gemfile sees under the user's Bundler: `bundle` makes it an absolute path.
      def named
        name = @environment["BUNDLE_GEMFILE"].to_s
        @wanted == :check && !name.empty? ? File.expand_path(name) : name
      end

      def variables(tracer, aside)
        set = { "BUNDLE_GEMFILE" => @location.gemfile }
        set[ASIDE] = aside.socket.to_s if aside
        @environment.merge(tracer ? tracer.environment(set, @environment) : set)
      end
    end
  end
end
