# frozen_string_literal: true

module Spate
  module CompileCache
    class Builder
      # Finds the compile caches of gems, and builds missing ones.
      class GemCaches
        # The number of gems that already had a compile cache, and of gems without files to compile.
        attr_reader :reused, :empty

        # gems: [GemFiles]. former: CacheFile of the application's existing cache. trusts: see CacheFile. shared: a
        # callable that is called with the folders of gems without a compile cache; returns Shared::Found from another
        # machine, or nil.
        def initialize(caches, gems, former:, deadline:, trusts:, shared: nil)
          @caches = caches
          @former = former
          @trusts = trusts
          @shared = shared
          @deadline = deadline
          @gems, without = gems.partition { |gem| !gem.empty? }
          @empty = without.size
          @reused = 0
        end

        # Yields [Compiler::Job] for the missing compile caches. Waits while another process builds compile caches of
        # gems, so that no cache is built twice.
        def build
          return @reused = @gems.size if missing.empty?

          Lock.hold("#{@caches.folder}/gems/.lock", seconds: [@deadline - Util.now, 0].max) do
            lacking = missing
            @reused = @gems.size - lacking.size
            @found = @shared&.call(lacking.map(&:dir)) if lacking.any?
            yield lacking.map { |gem| job(gem) } if lacking.any?
          end
        ensure
          Util::Files.remove(@found.path) if @found
        end

        # {gem folder => path of its compile cache}
        def paths = @gems.to_h { |gem| [gem.dir, path(gem)] }.select { |_, path| File.exist?(path) }

        private

        def missing = @gems.reject { |gem| own(path(gem)).intact? }

        def own(path) = CacheFile.new(path, @caches.ruby_key, trusts: @trusts)

        def path(gem) = @caches.gem_path(gem.dir, gem.fingerprint)

        def job(gem)
          former = sources(gem)
          shared = [@found].compact.select { |found| found.dirs.include?(gem.dir) }
          about = CacheFile.describe("gem", dir: gem.dir, fingerprint: gem.fingerprint,
                                            signers: former.flat_map(&:signers) + shared.map(&:signer))
          Compiler::Job.new(path: path(gem), key: @caches.ruby_key, files: gem.files, weight: gem.weight,
                            data: { "about" => about }, sources: [*former, *shared].map(&:path))
        end

        # Compile caches to copy blobs from. If a gem was edited or its times changed, most of its files still have the
        # same content.
        def sources(gem)
          before = @former.gem_caches[gem.dir]
          [(own(before) if before), @former].compact.select(&:usable?)
        end
      end
    end
  end
end
