# frozen_string_literal: true

require_relative "../../ear"

module Spate
  module Build
    module Run
      # Runs RubyGems' builders on one gem in a child process; if make fails in a way typical of missing dependencies
      # between targets, a second time without parallel jobs.
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

        # The key of its job.
        def key = @job.key

        # Returns the trace of each run, [Ear::Heard]; nil if tracing is unavailable. Raises BuildError, Interrupted.
        def call
          @heard = [] if Ear.available? == true
          @output = temporary
          build
          @heard
        end

        # Paths written so far. Callable from any thread.
        def written
          @mutex.synchronize { (@heard || []).flat_map(&:written) + (@ear ? @ear.written : []) }
        end

        def stop
          @stopped = true
          @child&.stop
        end

        private

        def build
          # Otherwise RubyGems would treat it as built, or partly built.
          Store::Sweep.remove(@job.extension_dir) unless @job.keep
          return if spawn(parallel: true)

          failure = diagnosis
          raise failure.error unless failure.perhaps_order? && @jobserver.size > 1

          @events.emit(:warning, message: "#{@job.package.full_name}: make failed; rebuilding without parallel jobs",
                                 hint: nil)
          raise diagnosis.error unless spawn(parallel: false)
        end

        def spawn(parallel:)
          spec = @job.spec_path || "#{@output}.gemspec"
          File.binwrite(spec, @job.specification) unless @job.spec_path
          status = hear { |ear| run(child(parallel, ear), spec) }
          raise Interrupted, "interrupted" if @child.stopped?

          @printed = File.exist?(@output) ? File.binread(@output) : ""
          status.success?
        ensure
          [@output, "#{@output}.gemspec"].each { |path| File.unlink(path) if File.exist?(path) }
        end

        def hear
          return yield unless @heard

          heard = Ear.hear do |ear|
            @mutex.synchronize { @ear = ear }
            yield ear
          ensure
            @mutex.synchronize { @ear = nil }
          end
          @mutex.synchronize { @heard << heard }
          heard.value
        end

        def child(parallel, ear)
          own = @environment.makeflags
          changes = @environment.changes(gem_home: @layout.root, gem_path: @layout.system? ? nil : "",
                                         makeflags: parallel ? @jobserver.makeflags(own) : own)
          inherited = parallel ? @jobserver.descriptors : {}
          return Child.new(changes, inherited, @output) unless ear

          Child.new(ear.environment(changes), inherited.merge(ear.options), @output)
        end

        def run(child, spec)
          @child = child
          raise Interrupted, "interrupted" if @stopped

          child.run(@heard ? Ear.binding_path : "", spec, @job.gem_dir, @job.extension_dir, *@job.arguments)
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
