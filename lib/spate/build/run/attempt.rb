# frozen_string_literal: true

require_relative "../../tracer"

module Spate
  module Build
    module Run
      # Runs RubyGems' builders on one gem in a child process. If make fails in a way that is typical of missing
      # dependencies between targets, retries without parallel jobs.
      class Attempt
        # home: the store for builds and logs, or nil.
        def initialize(job, layout:, home:, environment:, jobserver:, events:)
          @job = job
          @layout = layout
          @home = home
          @environment = environment
          @jobserver = jobserver
          @events = events
          @mutex = Mutex.new
        end

        # The build key of the job.
        def key = @job.key

        # Returns the trace of each run, [Tracer::Trace], or nil if tracing is unavailable. Raises BuildError,
        # Interrupted.
        def call
          @traces = [] if Tracer.available? == true
          @output = temporary
          build
          @traces
        end

        # Paths written so far. Thread-safe.
        def written
          @mutex.synchronize { (@traces || []).flat_map(&:written) + (@tracer ? @tracer.written : []) }
        end

        def stop
          @stopped = true
          @child&.stop
        end

        private

        def build
          # RubyGems would treat an existing extension as completely or partly built.
          Store::Sweep.remove(@job.extension_dir) unless @job.keep
          return if spawn(parallel: true)

          failure = diagnosis
          raise failure.error unless failure.maybe_wrong_order? && @jobserver.size > 1

          @events.emit(:warning, message: "#{@job.package.full_name}: make failed; rebuilding without parallel jobs",
                                 hint: nil)
          raise diagnosis.error unless spawn(parallel: false)
        end

        def spawn(parallel:)
          spec = @job.spec_path || "#{@output}.gemspec"
          File.binwrite(spec, @job.specification) unless @job.spec_path
          status = trace { |tracer| run(child(parallel, tracer), spec) }
          raise Interrupted, "interrupted" if @child.stopped?

          @printed = File.exist?(@output) ? File.binread(@output) : ""
          status.success?
        ensure
          [@output, "#{@output}.gemspec"].each { |path| File.unlink(path) if File.exist?(path) }
        end

        def trace
          return yield unless @traces

          trace = Tracer.trace do |tracer|
            @mutex.synchronize { @tracer = tracer }
            yield tracer
          ensure
            @mutex.synchronize { @tracer = nil }
          end
          @mutex.synchronize { @traces << trace }
          trace.value
        end

        def child(parallel, tracer)
          own = @environment.makeflags
          changes = @environment.changes(gem_home: @layout.root, gem_path: @layout.system? ? nil : "",
                                         makeflags: parallel ? @jobserver.makeflags(own) : own)
          inherited = parallel ? @jobserver.descriptors : {}
          return Child.new(changes, inherited, @output) unless tracer

          Child.new(tracer.environment(changes), inherited.merge(tracer.options), @output)
        end

        def run(child, spec)
          @child = child
          raise Interrupted, "interrupted" if @stopped

          child.run(@traces ? Tracer.binding_path : "", spec, @job.gem_dir, @job.extension_dir, *@job.arguments)
        end

        # The path of a temporary file.
        def temporary
          return @home.temporary("build") if @home

          require "tmpdir"
          "#{Dir.tmpdir}/spate-build-#{Process.pid}-#{Random.urandom(8).unpack1("H*")}"
        end

        def diagnosis = Failure.new(@job, Failure::Log.read(@job, @printed), store: @home)
      end
    end
  end
end
