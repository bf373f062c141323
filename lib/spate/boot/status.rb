# frozen_string_literal: true

module Spate
  module Boot
    # What an application boots from, as it lies there: nothing is made, changed or mended. In a process of the command
    # line's, with the user's environment.
    class Status
      autoload :Asides, "#{__dir__}/status/asides"
      autoload :Shares, "#{__dir__}/status/shares"

      SHOWN = 20

      # location: answers root, gemfile and lockfile. env: as the user has it.
      def initialize(location, images:, env: ENV)
        @location = location
        @images = images
        @env = env.to_h
      end

      # Plain values all through; see docs/boot.md for each.
      def to_h
        { ruby: RUBY_DESCRIPTION, ruby_key: @images.ruby_key, folder: @images.folder, refusal: @images.refusal,
          writable: @images.writable?(@env), root: @location.root, gemfile: @location.gemfile, image: image,
          overlay: overlay, standin: standin, index: index, gems: gems, boots: boots, gains: Journal.gains(journal),
          switches: switches, aside: Asides.new(@location, @env, journal.last).to_a, builder: builder,
          shares: Shares.new(@images).to_a }
      end

      private

      def place = [@location.root, @location.gemfile]
      def boot = @boot ||= open(@images.boot_path(*place))
      def data(name) = boot.first&.data(name)

      # [Native::Image or nil, why not (Symbol)]
      def open(path)
        [Native::Image.open(path, key: @images.ruby_key), nil]
      rescue Native::Image::Unusable => e
        [nil, e.reason]
      end

      def image
        facts = file(@images.boot_path(*place), *boot)
        current = boot.first && Builder::BootImage.new(@images, @location).current?
        facts.merge(current: current)
      end

      def overlay = file(path = @images.overlay_path(*place), *open(path))

      # reason: why there is none that may be used. stale: files that Ruby compiles, for they are not as recorded.
      def file(path, image, reason)
        return { path: path, reason: reason } unless image

        counts = Hash.new(0)
        stale = image.paths.filter_map { |name| differing(image, name, counts) }
        { path: path, files: image.count, bytes: image.bytes, made: made(image), damaged: image.verify.size,
          **%i[hit revalidated stale warns gone].to_h { |state| [state, counts[state]] },
          differing: stale.first(SHOWN) }
      end

      def differing(image, name, counts)
        state, reason = Instrumentation.state(name, image)
        counts[state] += 1
        { path: name, state: state, reason: reason } if %i[stale gone revalidated].include?(state)
      end

      def made(image) = Builder::ImageFile.lines(image.data("about"))["made"].to_i

      # true, or why Bundler sets up itself.
      def standin
        records = Standin::Records.new(Standin::Records::NAMES.filter_map { |name| data(name) })
        return "there is none" if records.empty?

        records.choose(Ground::Environment.clean(@env)).last
      end

      def index
        bytes = data("index")
        facts = bytes && Native::Index.facts(bytes)
        facts&.slice(:roots, :directories, :features)
      end

      # Of the gems of this application: images named, there, and their bytes.
      def gems
        named = Builder::ImageFile.lines(data("bundles"))
        missing = named.reject { |_, path| File.exist?(path) }
        { named: named.size, missing: missing.keys.first(SHOWN),
          bytes: (named.values - missing.values).sum { |path| File.size(path) } }
      end

      def journal = @journal ||= Journal.lines(Journal.path(@images, @location))
      def boots = journal.last(5).map(&:to_h)

      # Variables that turn something off or on, as they are.
      def switches
        @env.select { |name, _| name.match?(/\A(SPATE_(?!HOME\z)|(DISABLE_)?BOOTSNAP)/) }
      end

      def builder
        path = Background.log_path(@images, @location)
        last = File.exist?(path) ? File.readlines(path, chomp: true).last(3) : []
        attempts = Background.attempts(@images, @location)
        { forbidden: Background.forbidden(@env), working: working?, log: path, last: last, attempts: attempts.count,
          wait: attempts.wait.ceil }
      rescue SystemCallError => e
        { log: path, last: [e.message] }
      end

      def working?
        File.open(@images.lock_path(*place)) { |file| !file.flock(File::LOCK_SH | File::LOCK_NB) }
      rescue SystemCallError
        false
      end
    end
  end
end
