# frozen_string_literal: true

require_relative "../ear"

module Spate
  module Build
    # Runs RubyGems' builders over one gem in a child process, and a second time without parallel make where the first
    # failed in a way that a Makefile that knows no order of its targets would.
    class Attempt
      def initialize(job, ruby:, layout:, shelf:, environment:, jobserver:, events:)
        @job = job
        @ruby = ruby
        @layout = layout
        @shelf = shelf
        @environment = environment
        @jobserver = jobserver
        @events = events
        @mutex = Mutex.new
      end

      # Answers what was heard of each run, [Ear::Heard]; nil where nothing can be heard. Raises BuildError,
      # Interrupted.
      def call
        @heard = [] if Ear.available? == true
        build
        @heard
      end

      # Paths that it wrote until now. From any thread.
      def written
        @mutex.synchronize { (@heard || []).flat_map(&:written) + (@ear ? @ear.written : []) }
      end

      def stop
        @stopped = true
        @child&.stop
      end

      private

      def build
        clear
        return if spawn(parallel: true)

        failure = diagnosis
        raise failure.error unless failure.perhaps_order? && @jobserver.size > 1

        @events.emit(:warning, message: "#{@job.package.full_name}: make failed, built again without parallel jobs",
                               hint: nil)
        raise diagnosis.error unless spawn(parallel: false)
      end

      def spawn(parallel:)
        status = with_specification { |path| hear { |ear| run(child(parallel, ear), path) } }
        raise Interrupted, "interrupted" if @child.stopped?

        @printed = File.exist?(output) ? File.binread(output) : ""
        status.success?
      ensure
        File.unlink(output) if @output && File.exist?(output)
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
        inherited = parallel ? @jobserver.descriptors : {}
        return Child.new(@ruby, changes(parallel), inherited, output) unless ear

        Child.new(@ruby, ear.environment(changes(parallel)), inherited.merge(ear.options), output)
      end

      def run(child, path)
        @child = child
        raise Interrupted, "interrupted" if @stopped

        child.run(@heard ? Ear.binding_path : "", path, @job.gem_dir, @job.extension_dir, *@job.arguments)
      end

      def changes(parallel)
        own = @environment.makeflags
        @environment.changes(gem_home: @layout.root, gem_path: @layout.system? ? nil : "",
                             makeflags: parallel ? @jobserver.makeflags(own) : own)
      end

      # What RubyGems would find as already built, or as half built.
      def clear
        return if @job.keep || !File.exist?(@job.extension_dir)

        require "fileutils"
        FileUtils.rm_rf(@job.extension_dir)
      end

      def with_specification
        return yield(@job.spec_path) if @job.spec_path

        path = "#{output}.gemspec"
        begin
          File.binwrite(path, @job.specification)
          yield path
        ensure
          File.unlink(path) if File.exist?(path)
        end
      end

      def output = @output ||= @shelf.temporary("build")

      def diagnosis
        Failure.new(@job, Log.read(@job, @printed), store: @shelf.home)
      end
    end
  end
end
