# frozen_string_literal: true

module Spate
  module Images
    # What an application would boot from: nothing is made, changed or repaired. Runs in the command line's process,
    # with the user's environment.
    class Status
      autoload :DiskUsage, "#{__dir__}/status/disk_usage.rb"
      autoload :Inactive, "#{__dir__}/status/inactive.rb"

      SHOWN = 20

      # location: answers root, gemfile and lockfile. env: as the user has it.
      def initialize(location, images:, env: ENV)
        @location = location
        @images = images
        @env = env.to_h
      end

      # Plain values; docs/boot.md explains each.
      def to_h
        { ruby: RUBY_DESCRIPTION, ruby_key: @images.ruby_key, folder: @images.folder, refusal: @images.refusal,
          writable: @images.writable?(@env), root: @location.root, gemfile: @location.gemfile, image: image,
          overlay: overlay, standin: standin, index: index, gems: gems, boots: boots,
          gains: Boot::Journal.gains(journal), switches: switches,
          aside: Inactive.new(@location, @env, journal.last).to_a, builder: builder,
          shares: DiskUsage.new(@images).to_a }
      end

      private

      def opened = @opened ||= open(@images.application_path(@location))
      def data(name) = opened.first&.data(name)

      # [Native::Image or nil, why not (Symbol)]
      def open(path)
        [Native::Image.open(path, key: @images.ruby_key), nil]
      rescue Native::Image::Unusable => e
        [nil, e.reason]
      end

      def image
        facts = file(@images.application_path(@location), *opened)
        current = opened.first && Builder::ApplicationImage.new(@images, @location).current?
        facts.merge(current: current)
      end

      def overlay = file(path = @images.overlay_path(@location), *open(path))

      # reason: why there is none that may be used. stale: files that have changed, so that Ruby compiles them.
      def file(path, image, reason)
        return { path: path, reason: reason } unless image

        counts = Hash.new(0)
        stale = image.paths.filter_map { |name| differing(image, name, counts) }
        { path: path, files: image.count, bytes: image.bytes, made: made(image), damaged: image.verify.size,
          **%i[hit revalidated stale warns gone].to_h { |state| [state, counts[state]] },
          differing: stale.first(SHOWN) }
      end

      def differing(image, name, counts)
        state, reason = Boot::Log::Outcomes.state(name, image)
        counts[state] += 1
        { path: name, state: state, reason: reason } if %i[stale gone revalidated].include?(state)
      end

      def made(image) = ImageFile.lines(image.data("about"))["made"].to_i

      # true, or why Bundler sets up itself.
      def standin
        records = opened.first && Boot::Standin.records(opened.first)
        return "there is none" if records.nil? || records.empty?

        records.choose(Ground::Environment.clean(@env)).last
      end

      def index
        bytes = data("index")
        facts = bytes && Native::Index.facts(bytes)
        facts&.slice(:roots, :directories, :features)
      end

      # Images of this application's gems: how many are named, which are missing, bytes of the rest.
      def gems
        named = ImageFile.lines(data("bundles"))
        missing = named.reject { |_, path| File.exist?(path) }
        { named: named.size, missing: missing.keys.first(SHOWN),
          bytes: (named.values - missing.values).sum { |path| File.size(path) } }
      end

      def journal = @journal ||= Boot::Journal.lines(@images.journal_path(@location))
      def boots = journal.last(5).map(&:to_h)

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
