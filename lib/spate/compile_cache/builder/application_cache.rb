# frozen_string_literal: true

module Spate
  module CompileCache
    class Builder
      # The compile cache of an application: load-path cache, Bundler replay, the paths of the gems' compile caches, and
      # the blobs of the files that the last boots loaded, in load order. It is rebuilt if one of the first three is
      # new, or if too many files for an overlay have changed.
      class ApplicationCache
        # The maximum number of changed files in the overlay. With more, the application's cache is rebuilt.
        CHANGED = 200

        # A digest of Gemfile, lockfile and the application's settings (32 hex digits).
        def self.bundle(location)
          files = [location.gemfile, location.lockfile, "#{location.root}/.bundle/config"].compact
          Native.content_hash(nil, files.map { |path| Native.content_hash(path).to_s }.join("\n"))
        end

        # recorded: paths in load order. folders: additional folders for the load-path cache. own: folders of gems from
        # path sources, whose files are stored in the overlay like the application's files. load_path_cache: bytes;
        # replays: [Gemfile::Setup::Record]; gem_caches: {gem folder => path of its compile cache}. If one of these four
        # is nil, the existing value is kept. bundle: the digest of their bundle, or nil for the current bundle. trusts:
        # see CacheFile.
        def initialize(caches, location, recorded: [], folders: [], own: nil, load_path_cache: nil, replays: nil,
                       gem_caches: nil, bundle: nil, trusts: nil)
          @caches = caches
          @trusts = trusts
          @location = location
          @recorded = recorded.select { |file| Native.stat(file) }
          @folders = folders
          @given_own = own
          @load_path_cache = load_path_cache
          @replays = replays
          @given = gem_caches
          @bundle = bundle
        end

        # Returns a Compiler::Job, or nil if the compile cache is current.
        def job
          return unless needed?

          Compiler::Job.new(path: path, key: @caches.ruby_key, files: files, data: data, sources: sources,
                            required: true)
        end

        # Whether the compile cache is for the current bundle.
        def current? = old.usable? && old.about["bundle"] == ApplicationCache.bundle(@location)

        # Whether its load-path cache was built with these additional folders.
        def folders? = old.about["folders"] == folders_print

        # Recorded files of the application itself and of gems from path sources.
        def own_files = @own_files ||= @recorded.select { |file| own?(file) }

        # Other recorded files whose current version is not in the compile cache, or [] if the compile cache will be
        # rebuilt.
        def left_out = needed? ? [] : changed

        def old = @old ||= CacheFile.new(path, @caches.ruby_key, trusts: @trusts)

        private

        def needed?
          return @needed if defined?(@needed)

          @needed = !old.usable? || !@load_path_cache.nil? || !@replays.nil? || !@given.nil? || changed.size > CHANGED
        end

        def folders_print = Native.content_hash(nil, @folders.sort.join("\n"))
        def path = @caches.application_path(@location)
        def files = @recorded - own_files
        def changed = @changed ||= files.reject { |file| old.fits?(file) }
        def gem_caches = @gem_caches ||= @given || old.gem_caches
        def own = @own ||= @given_own || old.data("own").to_s.dup.force_encoding(Encoding::UTF_8).lines(chomp: true)

        def data
          replays = @replays || Boot::BundlerReplay.records(old).to_a
          { "about" => about, "load_path_cache" => @load_path_cache || old.data("load_path_cache"),
            **Gemfile::Setup::Record.data(replays),
            "bundles" => gem_caches.map { |dir, cache| "#{dir}\t#{cache}\n" }.join,
            "own" => own.map { |dir| "#{dir}\n" }.join }.compact
        end

        def about
          bundle = @given ? @bundle || ApplicationCache.bundle(@location) : old.about["bundle"]
          CacheFile.describe("boot", root: @location.root, gemfile: @location.gemfile, lockfile: @location.lockfile,
                                     bundle: bundle, folders: @load_path_cache ? folders_print : old.about["folders"],
                                     signers: signers)
        end

        # The signers of copied blobs.
        def signers = sources.flat_map { |cache| CacheFile.new(cache, @caches.ruby_key).signers }

        # Compile caches to copy blobs from, the largest ones first.
        def sources = [*(path if old.usable?), @caches.overlay_path(@location), *gem_caches.values]

        def own?(file)
          return true if own.any? { |dir| file.start_with?("#{dir}/") }

          file.start_with?("#{@location.root}/") && !of_gem?(file)
        end

        def of_gem?(file)
          while (length = file.rindex("/")) && length > @location.root.length
            return true if gem_caches.key?(file = file[0, length])
          end
          false
        end
      end

      # A small compile cache in addition to the application's cache. Contains the application's own files, and files of
      # gems that have changed since the application's cache was built. It is rewritten if the current version of one of
      # these files is missing. Valid blobs are copied.
      class Overlay
        # application: ApplicationCache
        def initialize(caches, location, application)
          @caches = caches
          @location = location
          @application = application
        end

        # Returns a Compiler::Job, or nil if the overlay is current.
        def job
          files = @application.own_files + @application.left_out
          return if files.all? { |file| old.fits?(file) } && (old.paths - files).empty?

          about = CacheFile.describe("overlay", root: @location.root, gemfile: @location.gemfile,
                                                signers: old.signers + @application.old.signers)
          Compiler::Job.new(path: path, key: @caches.ruby_key, files: files, data: { "about" => about },
                            sources: [path, @application.old.path], required: old.usable?)
        end

        private

        def path = @caches.overlay_path(@location)
        def old = @old ||= CacheFile.new(path, @caches.ruby_key)
      end
    end
  end
end
