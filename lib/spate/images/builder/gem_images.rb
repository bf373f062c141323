# frozen_string_literal: true

module Spate
  module Images
    class Builder
      # The images of single gems: which are missing, and their paths.
      class GemImages
        # How many gems had their image already, and how many have nothing to compile.
        attr_reader :reused, :empty

        # gems: [GemFiles]. former: ImageFile of the application, before this build.
        def initialize(images, gems, former:, deadline:)
          @images = images
          @former = former
          @deadline = deadline
          @gems, without = gems.partition { |gem| !gem.empty? }
          @empty = without.size
          @reused = 0
        end

        # Yields [Compiler::Job] for those that are missing. While another process makes images of gems this one waits,
        # so that none is made twice.
        def build
          return @reused = @gems.size if missing.empty?

          Lock.hold("#{@images.folder}/gems/.lock", seconds: [@deadline - now, 0].max) do
            jobs = missing.map { |gem| job(gem) }
            @reused = @gems.size - jobs.size
            yield jobs if jobs.any?
          end
        end

        # {gem folder => path of its image}
        def paths = @gems.to_h { |gem| [gem.dir, path(gem)] }.select { |_, path| File.exist?(path) }

        private

        def missing = @gems.reject { |gem| ImageFile.new(path(gem), @images.ruby_key).whole? }

        def path(gem) = @images.gem_path(gem.dir, gem.fingerprint)

        def job(gem)
          about = ImageFile.describe("gem", dir: gem.dir, fingerprint: gem.fingerprint)
          Compiler::Job.new(path: path(gem), key: @images.ruby_key, files: gem.files, weight: gem.weight,
                            data: { "about" => about }, sources: sources(gem))
        end

        # Of a gem that was edited, or whose times changed, most files are as they were.
        def sources(gem) = [@former.gem_images[gem.dir], (@former.path if @former.usable?)].compact

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
