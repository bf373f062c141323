# frozen_string_literal: true

module Spate
  module Boot
    # Makes the images of one application: an image for each gem that has none yet, the application's own with index,
    # stand-in and blobs in load order, and its overlay. Images appear whole, under their final names; one that exists
    # is never written to.
    class Builder
      autoload :Child, "#{__dir__}/builder/child"
      autoload :BootImage, "#{__dir__}/builder/boot_image"
      autoload :GemImages, "#{__dir__}/builder/gem_images"
      autoload :ImageFile, "#{__dir__}/builder/image_file"
      autoload :Lock, "#{__dir__}/builder/lock"
      autoload :Overlay, "#{__dir__}/builder/overlay"
      autoload :Project, "#{__dir__}/builder/project"
      autoload :Report, "#{__dir__}/builder/report"
      autoload :Survey, "#{__dir__}/builder/survey"
      autoload :Words, "#{__dir__}/builder/words"

      # How long a builder waits for another one that makes images of gems, and works at most, in seconds.
      SECONDS = 600

      # images: Images. jobs: children at most. events: Spate::Events or nil.
      def initialize(images:, jobs: nil, events: nil, seconds: SECONDS)
        @images = images
        @jobs = jobs
        @events = events
        @deadline = now + seconds
      end

      # gems: [GemBundle] or [folder]. location: answers root and gemfile. index, standin: bytes, or nil for those that
      # the image has; so gems and own. others: records of stand-ins for other environments, which stay.
      # recorded: paths in load order. folders: those that the index covers beside the bundle's. own: folders of gems
      # that are worked on (of PATH sources): their files go into the overlay, as the application's own do.
      # Answers a Report.
      def build(location:, gems: nil, index: nil, standin: nil, others: [], recorded: [], folders: [],
                own: nil)
        started = now
        @report = Report.new
        @images.make
        boot = BootImage.new(@images, location, recorded: recorded, own: own, index: index, standin: standin,
                                                others: others, folders: folders,
                                                bundles: gems && bundles(gems, location))
        make(:boot, boot.job)
        make(:overlay, Overlay.new(@images, location, boot).job)
        @report.seconds = now - started
        @report
      rescue SystemCallError => e
        trouble(e.message)
        @report
      end

      private

      # {gem folder => path of its image}
      def bundles(gems, location)
        gems = gems.map { |gem| gem.is_a?(String) ? GemBundle.new(gem) : gem }
        former = ImageFile.new(@images.boot_path(location.root, location.gemfile), @images.ruby_key)
        made = GemImages.new(@images, gems, former: former, deadline: @deadline)
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
        compiler = Compiler.new(jobs: @jobs, seconds: [@deadline - now, 1].max)
        @report.cpu += compiler.run(jobs) do |result|
          results << result
          @events&.emit(:image, path: result.path, compiled: result.compiled, copied: result.copied,
                                bytes: result.bytes)
          trouble("#{result.path}: #{result.error.last}") unless result.ok?
        end
        results
      end

      # The first one is told; the others are its echo.
      def trouble(text)
        @events&.emit(:warning, message: "boot images: #{text}") if @report.warnings.empty?
        @report.warnings << text
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
