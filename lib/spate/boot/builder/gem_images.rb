# frozen_string_literal: true

module Spate
  module Boot
    class Builder
      # The images of single gems: which are missing, and their paths.
      class GemImages
        # How many gems had their image already, and how many have nothing to compile.
        attr_reader :reused, :empty

        # former: ImageFile of the application, as it is so far.
        def initialize(images, bundles, former:, deadline:)
          @images = images
          @former = former
          @deadline = deadline
          @bundles, without = bundles.partition { |bundle| !bundle.empty? }
          @empty = without.size
          @reused = 0
        end

        # Yields [Compiler::Job] of those that are missing. While another process makes images of gems this one waits;
        # what that one makes need not be made twice.
        def build
          return @reused = @bundles.size if missing.empty?

          Lock.hold("#{@images.folder}/gems/.lock", seconds: [@deadline - now, 0].max) do
            jobs = missing.map { |bundle| job(bundle) }
            @reused = @bundles.size - jobs.size
            yield jobs if jobs.any?
          end
        end

        # {gem folder => path of its image}
        def paths = @bundles.to_h { |bundle| [bundle.dir, path(bundle)] }.select { |_, path| File.exist?(path) }

        private

        def missing = @bundles.reject { |bundle| ImageFile.new(path(bundle), @images.ruby_key).whole? }

        def path(bundle) = @images.gem_path(bundle.dir, bundle.fingerprint)

        def job(bundle)
          about = ImageFile.describe("gem", dir: bundle.dir, fingerprint: bundle.fingerprint)
          Compiler::Job.new(path: path(bundle), key: @images.ruby_key, files: bundle.files, weight: bundle.weight,
                            data: { "about" => about }, sources: sources(bundle))
        end

        # Of a gem that was edited, or that lost its times, most files are as they were.
        def sources(bundle) = [@former.bundles[bundle.dir], (@former.path if @former.usable?)].compact

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
