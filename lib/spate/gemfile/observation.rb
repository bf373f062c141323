# frozen_string_literal: true

require "tmpdir"

module Spate
  module Gemfile
    # Runs Bundler in a traced child process to evaluate a Gemfile. If tracing is unavailable, the result is not cached.
    # With read_only the child cannot change files. This is used in the background, where the child may run while the
    # user works in the application.
    class Observation
      SCRIPT = File.expand_path("child/main.rb", __dir__)
      # The environment variable that holds the file descriptor of the second tracer's socket.
      ASIDE = "SPATE_TRACER_ASIDE"
      # report: Hash of plain values (child/run.rb), or nil if the child ended before its report. printed: the Gemfile's
      # output. signal: number of the signal that killed the child, or nil. trace: Tracer::Trace, or nil if tracing is
      # unavailable.
      Result = Struct.new(:report, :printed, :signal, :trace)

      # Returns the reason (String) why tracing is unavailable, or nil.
      def self.obstacle
        require_relative "../tracer"
        reason = Tracer.available?
        "file accesses cannot be traced here: #{reason}" unless reason == true
      end

      # environment: the environment of the user's shell. wanted: :check, or :replay for both results. flags:
      # ["name=value"]. read_only: whether to prevent the child from changing files.
      def initialize(location, environment, wanted, flags: [], read_only: false)
        @location = location
        @environment = environment
        @wanted = wanted
        @flags = flags
        @read_only = read_only
      end

      # Returns a Result. Retries once after a crash, because Ruby 3.1.2 occasionally crashes. folder: the child's
      # working directory.
      def call(folder: @location.root)
        result = evaluate(folder)
        result.signal && !@cancelled ? evaluate(folder) : result
      end

      # Kills the child because its result is no longer needed.
      def cancel
        @cancelled = true
        @child&.kill(:TERM)
      end

      private

      def evaluate(folder)
        return run(folder, nil) if Observation.obstacle

        # The standard library is not traced, because it changes only with the Ruby version.
        own = RbConfig::CONFIG.values_at("rubylibdir", "rubyarchdir").compact
        aside do |other|
          trace = Tracer.trace(ignore: own, read_only: @read_only) { |tracer| run(folder, tracer, other) }
          trace.value.tap { |result| result.trace = trace }
        end
      end

      # Ruby's options. The restriction starts before tracing, so that code loaded by RUBYOPT cannot write either.
      def confined = [*(Tracer::ReadOnly.confined if @read_only), "--disable-gems"]

      # Starts a second tracer for the process of Child::GitLsFiles, to make it read-only. Its trace is ignored.
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

      # The value of BUNDLE_GEMFILE that a Gemfile reads under `bundle`, which expands the path.
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
