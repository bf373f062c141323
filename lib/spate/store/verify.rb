# frozen_string_literal: true

module Spate
  class Store
    # Reads all archives, packages, builds and objects in the store, and compares their contents with their digests.
    # Repairs damaged objects from the archives, or removes damaged entries so that the next install fetches or builds
    # them again.
    class Verify
      # kind: :object, :archive, :manifest or :inputs (of a build). package: SHA-256 or build key, or nil for an object
      # in no manifest. path: path in the package or the store. state: :missing, :changed or :stale. outcome: :healed,
      # :dropped, or :found (in a read-only store or a dry run).
      Damage = Struct.new(:kind, :package, :path, :state, :outcome, keyword_init: true)

      # Numbers of checked entries, and the damage found. seconds: Float.
      Result = Struct.new(:packages, :builds, :archives, :objects, :bytes, :damaged, :seconds,
                          keyword_init: true) do
        def ok? = damaged.empty?
        def healed = damaged.count { |damage| damage.outcome == :healed }
        def dropped = damaged.count { |damage| damage.outcome == :dropped }
        def to_h = super.merge(damaged: damaged.map(&:to_h), healed: healed, dropped: dropped)
      end

      def initialize(store, events: nil, dry_run: false)
        @store = store
        @events = events
        @change = !dry_run && store.writable?
        @named = {} # object's file name => true
        @result = Result.new(packages: 0, builds: 0, archives: 0, objects: 0, bytes: 0, damaged: [])
      end

      def call
        started = Util.now
        @store.lock("store", shared: true) do
          archives # first, because packages are repaired from verified archives
          manifests("packages") { @result.packages += 1 }
          manifests("builds") { @result.builds += 1 }
          variants
          unnamed
        end
        @result.seconds = Util.now - started
        @result
      end

      private

      def archives
        each_file("archives") do |path, name|
          next unless name.end_with?(".gem")

          @result.archives += 1
          next if Native.sha256_file(path) == name.delete_suffix(".gem")

          File.unlink(path) if @change
          note(:archive, nil, "archives/#{name}", :changed, dropped)
        end
      end

      def manifests(folder)
        each_file(folder) do |path, key|
          next if key.include?(".") # a temporary file of the core

          yield
          manifest = @store.open_manifest(path)
          manifest ? manifest(manifest, path, key) : forget(path, key)
        end
      end

      # Removes damaged records of builds' inputs. The builds are not removed, since bundles may use them.
      def variants
        each_folder("variants") do |folder|
          each_file(folder) do |path, id|
            next if id.end_with?(".tmp") || whole_inputs?(path)

            File.unlink(path) if @change
            note(:inputs, "#{File.basename(folder)}-#{id[/\A\h+/]}", "#{folder}/#{id}", :changed, dropped)
          end
        end
      end

      def whole_inputs?(path)
        require "spate/inputs"
        Inputs.each(path).first || true
      rescue ArgumentError
        false
      rescue LoadError
        true # without the native extension, records are not used
      end

      def manifest(manifest, path, key)
        entries = files(manifest)
        bad = @store.native.verify_manifest(manifest)
        @events&.emit(:verified, key: key, files: entries.size, damaged: bad.size)
        return renew(manifest, path) if bad.empty?

        states = bad.map { |index| state(manifest.entry(index)) }
        outcome = heal(manifest, bad, path)
        bad.zip(states) { |index, state| note(:object, key, manifest.entry(index)[:path], state, outcome) }
      end

      def files(manifest)
        entries = Object.entries(manifest)
        entries.each do |entry|
          name = Object.name(entry)
          next if @named[name]

          @named[name] = true
          @result.objects += 1
          @result.bytes += entry[:size]
        end
      end

      def renew(manifest, path)
        @store.renew([path]) if @change && !manifest.this_boot?
      end

      def heal(manifest, bad, path)
        return :found unless @change

        @store.heal(manifest, bad, path: path)
        :healed
      rescue Missing
        bad.each { |index| discard(manifest.entry(index)) }
        File.unlink(path)
        :dropped
      end

      # Removes a damaged object that cannot be repaired, so that other packages with the same file do not link it.
      def discard(entry)
        object = Object.of(@store, entry)
        File.unlink(object.path) if object.exist? && !object.intact?
      end

      # Verifies objects in no manifest, which were left by interrupted installs or pruned packages.
      def unnamed
        each_folder("objects") do |folder|
          each_file(folder) do |path, name|
            next if @named[name]

            @result.objects += 1
            @result.bytes += File.size(path)
            next if intact?(path, name)

            File.unlink(path) if @change
            note(:object, nil, "#{folder}/#{name}", :changed, dropped)
          end
        end
      end

      def intact?(path, name)
        sha256, mode = name.split("-", 2)
        (File.lstat(path).mode & 0o777).to_s(8) == mode && Native.sha256_file(path) == sha256
      end

      def forget(path, key)
        File.unlink(path) if @change
        note(:manifest, key, path.delete_prefix("#{@store.root}/"), :stale, dropped)
      end

      def note(kind, package, path, state, outcome)
        damage = Damage.new(kind: kind, package: package, path: path, state: state, outcome: outcome)
        @result.damaged << damage
        @events&.emit(:damaged, **damage.to_h)
      end

      def dropped = @change ? :dropped : :found

      def state(entry) = Object.of(@store, entry).exist? ? :changed : :missing

      def each_folder(folder)
        Dir.children(@store.path(folder)).sort.each { |name| yield "#{folder}/#{name}" }
      rescue Errno::ENOENT
        nil
      end

      def each_file(folder)
        Dir.children(@store.path(folder)).sort.each do |name|
          path = @store.path(folder, name)
          yield path, name if File.file?(path)
        rescue Errno::ENOENT
          nil # removed in the meantime
        end
      rescue Errno::ENOENT
        nil
      end
    end
  end
end
