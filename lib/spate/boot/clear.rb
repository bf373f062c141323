# frozen_string_literal: true

module Spate
  module Boot
    # Removes images: of one application, with those of gems that no other application's image names; or all. Processes
    # that have them mapped go on.
    class Clear
      # How long to wait for a builder that is at work, in seconds.
      SECONDS = 10

      # files: how many were removed; bytes: of them; busy: a builder was at work all the time.
      Result = Struct.new(:files, :bytes, :busy)

      def initialize(images)
        @images = images
      end

      # location: answers root and gemfile.
      def application(location)
        result = Result.new(0, 0, false)
        lock = @images.lock_path(location.root, location.gemfile)
        return result unless File.directory?(File.dirname(lock))

        held = Builder::Lock.hold(lock, seconds: SECONDS) { remove(result, paths(location)) }
        result.busy = !held
        result
      end

      # Of all applications and Rubies, and Spate's own code.
      def all
        folder = "#{@images.store_root}/images"
        files = Dir.glob("#{folder}/**/*", File::FNM_DOTMATCH).select { |path| File.lstat(path).file? }
        Result.new(0, 0, false).tap { |result| remove(result, files) }
      end

      private

      def paths(location)
        boot = @images.boot_path(location.root, location.gemfile)
        key = File.basename(boot, ".image")
        own = Dir.glob("#{@images.folder}/{boots,apps}/#{key}.*").reject { |path| path.end_with?(".lock") }
        own + (bundles(boot) - others(boot).flat_map { |path| bundles(path) })
      end

      def others(boot) = Dir.glob("#{@images.folder}/boots/*.image") - [boot]
      def bundles(path) = Builder::ImageFile.new(path, @images.ruby_key).bundles.values

      def remove(result, paths)
        paths.each do |path|
          bytes = File.lstat(path).size
          File.unlink(path)
          result.files += 1
          result.bytes += bytes
        rescue Errno::ENOENT
          next
        end
      end
    end
  end
end
