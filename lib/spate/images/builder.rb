# frozen_string_literal: true

module Spate
  module Images
    # Makes the images of one application: one for each gem that has none yet, the application's own with index,
    # Bundler replay and blobs in load order, and its overlay. Images appear whole, under their final names; an existing
    # one is never written to.
    class Builder
      # Builds in a child and waits for it: for callers that need the images now.
      class Child
        # @param location [Gemfile::Location]
        # @param images [Boot::ImageFolder]
        # @param env [ENV, Hash{String => String}] the user's
        # @param jobs [Integer, nil] processes that compile; nil for one a processor
        # @param exclude [Array<String>] patterns of folders and files whose code is not wanted
        # @param team [Boolean] whether to query the team's cache
        def initialize(location, images:, env: ENV, jobs: nil, exclude: [], team: false)
          @env = Util::Environment.clean(env).except("SPATE_LOG")
          @arguments = Boot::Background::BuilderArguments.for(
            location, images, renew: true, jobs: jobs, exclude: exclude, team: team, report: Util::Child::REPORT
          )
        end

        # Builds the images.
        #
        # @yieldparam event [Hash{Symbol => Object}] an event `:image` or `:warning` (docs/events.md)
        # @return [Hash{Symbol => Object}, nil] the facts of the event `boot_images`; nil if the child died
        def call
          command = [*Boot::Background::RubyOptions.current, Boot::Background::SCRIPT, *@arguments]
          Util::Child.run(@env, *command, out: :err, chdir: "/") do |child|
            done = nil
            child.each { |event| event[:event] == :boot_images ? done = event.except(:event) : yield(event) }
            done
          end
        end
      end

      # @!visibility private
      #
      # The result of one build. busy: another builder was at work for this application, so nothing was done; built,
      # reused, empty: gems; compiled, copied, warned, failed: files; bytes: of the images written; boot, overlay:
      # whether those were written; removed: images that Prune removed; cpu, seconds: processor time of the children,
      # wall time.
      Report = Struct.new(:busy, :built, :reused, :empty, :compiled, :copied, :warned, :failed, :bytes, :boot, :overlay,
                          :removed, :cpu, :seconds, :warnings, keyword_init: true) do
        def initialize(busy: false)
          super(busy: busy, boot: false, overlay: false, cpu: 0.0, seconds: 0.0, warnings: [],
                **%i[built reused empty compiled copied warned failed bytes removed].to_h { |name| [name, 0] })
        end

        def gem(result)
          self.built += 1 if result.ok?
          count(result)
        end

        # name: :boot or :overlay
        def image(name, result)
          self[name] = result.ok?
          count(result)
        end

        def to_h = super.merge(cpu: cpu.round(3), seconds: seconds.round(3))

        private

        def count(result)
          %i[compiled copied warned failed bytes].each { |name| self[name] += result[name] }
        end
      end

      {
        ApplicationBuild: "application_build", ApplicationImage: "application_image", BundleContents: "bundle_contents",
        GemImages: "gem_images", Overlay: "overlay"
      }.each { |name, file| autoload name, "#{__dir__}/builder/#{file}.rb" }

      # Seconds that a builder waits for another one that makes images of gems, and that it works at most.
      SECONDS = 600

      # @!visibility private

      # images: Boot::ImageFolder. jobs: children at most. events: Spate::Events or nil. trusts, shared: see GemImages;
      # without them, code compiled elsewhere is not used.
      def initialize(images:, jobs: nil, events: nil, seconds: SECONDS, trusts: ->(*) { false }, shared: nil)
        @images = images
        @trusts = trusts
        @shared = shared
        @jobs = jobs
        @events = events
        @deadline = Util.now + seconds
      end

      # location: answers root, gemfile, lockfile. recorded: paths in load order. gems: [GemFiles], nil for those that
      # the image has. The others: see ApplicationImage. Answers a Report.
      def build(location:, recorded: [], gems: nil, **facts)
        started = Util.now
        @report = Report.new
        @images.make
        Distrusted.remove(@images, location, @trusts)
        image = ApplicationImage.new(@images, location, recorded: recorded, trusts: @trusts, **facts,
                                                        gem_images: gems && gem_images(gems, location))
        make(:boot, image.job)
        make(:overlay, Overlay.new(@images, location, image).job)
        @report.seconds = Util.now - started
        @report
      rescue SystemCallError => e
        warn(e.message)
        @report
      end

      private

      # {gem folder => path of its image}
      def gem_images(gems, location)
        former = ImageFile.new(@images.application_path(location), @images.ruby_key, trusts: @trusts)
        made = GemImages.new(@images, gems, former: former, deadline: @deadline, trusts: @trusts, shared: @shared)
        made.build { |jobs| run(jobs).each { |result| @report.gem(result) } }
        @report.reused = made.reused
        @report.empty = made.empty
        made.paths
      end

      def make(name, job)
        return unless job

        run([job]).each { |result| @report.image(name, result) }
      end

      def run(jobs)
        results = []
        compiler = Compiler.new(jobs: @jobs, seconds: [@deadline - Util.now, 1].max)
        @report.cpu += compiler.run(jobs) do |result|
          results << result
          @events&.emit(:image, path: result.path, compiled: result.compiled, copied: result.copied,
                                bytes: result.bytes)
          warn("#{result.path}: #{result.error.last}") unless result.ok?
        end
        results
      end

      # Only the first warning is shown: the others follow from it.
      def warn(text)
        @events&.emit(:warning, message: "boot images: #{text}") if @report.warnings.empty?
        @report.warnings << text
      end
    end
  end
end
