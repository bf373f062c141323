# frozen_string_literal: true

module Spate
  module Images
    # The images that an application would boot from: nothing is made, changed or repaired. Runs in the command line's
    # process, with the user's environment.
    class Status
      autoload :DiskUsage, "#{__dir__}/status/disk_usage.rb"
      autoload :Gains, "#{__dir__}/status/gains.rb"
      autoload :Inactive, "#{__dir__}/status/inactive.rb"

      SHOWN = 20

      # location: answers root, gemfile and lockfile. env: the user's.
      def initialize(location, images:, env: ENV)
        @location = location
        @images = images
        @env = env.to_h
      end

      # Plain values; docs/boot.md explains each.
      def to_h
        { ruby: RUBY_DESCRIPTION, ruby_key: @images.ruby_key, folder: @images.folder, refusal: @images.refusal,
          writable: @images.writable?(@env), root: @location.root, gemfile: @location.gemfile, image: image,
          overlay: overlay, replay: replay, index: index, gems: gems, boots: boots, gains: Gains.of(boot_log),
          switches: switches, aside: Inactive.new(@location, @env, boot_log.last).to_a, builder: builder,
          shares: DiskUsage.new(@images).to_a }
      end

      private

      def application = @application ||= ImageFile.new(@images.application_path(@location), @images.ruby_key)

      def image = file(application).merge(current: current)

      # Whether the image is of the current bundle; nil if it cannot be used.
      def current = (Builder::ApplicationImage.new(@images, @location).current? if application.usable?)

      def overlay = file(ImageFile.new(@images.overlay_path(@location), @images.ruby_key))

      # reason: why none may be used. stale: files that have changed, so that Ruby compiles them.
      def file(file)
        return { path: file.path, reason: file.reason } unless file.usable?

        image = file.image
        counts = Hash.new(0)
        stale = image.paths.filter_map { |name| differing(image, name, counts) }
        { path: file.path, files: image.count, bytes: image.bytes, made: file.about["made"].to_i,
          damaged: image.verify.size, **%i[hit revalidated stale warns gone].to_h { |state| [state, counts[state]] },
          differing: stale.first(SHOWN) }
      end

      def differing(image, name, counts)
        state, reason = Boot::Log::Outcomes.state(name, image)
        counts[state] += 1
        { path: name, state: state, reason: reason } if %i[stale gone revalidated].include?(state)
      end

      # true, or why Bundler does the set-up itself.
      def replay
        records = Boot::BundlerReplay.records(application)
        return "there is none" if records.empty?

        records.choose(Util::Environment.clean(@env)).last
      end

      def index
        bytes = application.data("index")
        facts = bytes && Native::Index.facts(bytes)
        facts&.slice(:roots, :directories, :features)
      end

      # Images of this application's gems: the number referred to, the missing ones, bytes of the rest.
      def gems
        named = application.gem_images
        missing = named.reject { |_, path| File.exist?(path) }
        { named: named.size, missing: missing.keys.first(SHOWN),
          bytes: (named.values - missing.values).sum { |path| File.size(path) } }
      end

      def boot_log = @boot_log ||= Boot::BootLog.lines(@images.boot_log_path(@location))
      def boots = boot_log.last(5).map(&:to_h)

      # Variables that switch something off or on.
      def switches
        @env.select { |name, _| name.match?(/\A(SPATE_(?!HOME\z)|(DISABLE_)?BOOTSNAP)/) }
      end

      def builder
        path = @images.log_path(@location)
        last = File.exist?(path) ? File.readlines(path, chomp: true).last(3) : []
        attempts = Boot::Background::Attempts.new(@images.attempts_path(@location))
        { forbidden: Boot::Background.forbidden(@env), working: working?, log: path, last: last,
          attempts: attempts.count, wait: attempts.wait.ceil }
      rescue SystemCallError => e
        { log: path, last: [e.message] }
      end

      def working?
        File.open(@images.lock_path(@location)) { |file| !file.flock(File::LOCK_SH | File::LOCK_NB) }
      rescue SystemCallError
        false
      end
    end
  end
end
