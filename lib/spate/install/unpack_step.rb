# frozen_string_literal: true

module Spate
  module Install
    # From an archive to a package in the store: unpack without the GVL, read the metadata, derive the installed
    # texts, and write the manifest last. An item that has its manifest already only gets what it lacks.
    class UnpackStep
      FIRST_LINE = 512 # bytes of an executable that can matter to its wrapper

      def initialize(context)
        @context = context
        @store = context.store
        @mutex = Mutex.new
      end

      # Loads RubyGems where it will be needed, beside the first downloads.
      def warm_up
        rubygems if form.nil?
      end

      # Fills item: sha256, manifest, derived, tree, origin, bytes.
      def call(item, archive)
        item.origin = archive.origin
        item.bytes = archive.bytes
        item.manifest ||= package(item) if item.sha256
        item.manifest ? derive_again(item, archive) : unpack(item, archive)
      ensure
        discard(archive)
      end

      # Removes a tree that no bundle took.
      def discard_tree(item)
        return unless item.tree

        require "fileutils"
        FileUtils.rm_rf(item.tree)
        item.tree = nil
      end

      # Removes the scratch folder.
      def clean
        return unless @scratch

        require "fileutils"
        FileUtils.rm_rf(@scratch)
        @scratch = nil
      end

      private

      def unpack(item, archive)
        item.tree = @context.trees? ? @store.temporary("tree") : nil # now: a killed thread gets no further
        unpacked = ArchiveError.convert(item.full_name, archive, @store) { open(archive, item.tree) }
        read(item, archive, unpacked)
        @context.events.emit(:unpacked, name: item.full_name, files: unpacked.count, bytes: unpacked.bytes)
      ensure
        unpacked&.close
      end

      def open(archive, tree)
        @context.native.unpack(archive.path, kind: :gem, sha256: archive.expected, tree: tree,
                                             memory: @context.memory, mode_mask: @context.mode_mask,
                                             **@context.limits)
      end

      def read(item, archive, unpacked)
        item.sha256 = unpacked.sha256
        metadata = metadata(unpacked.metadata, item)
        facts = metadata.facts(unpacked.paths, verified: archive.verified)
        Executables.new(@context, facts, item.tree).call(unpacked)
        derived = metadata.derived(first_lines(facts, unpacked), scratch)
        keep(item, archive, derived) do
          ArchiveError.convert(item.full_name, archive, @store) do
            unpacked.write_manifest(@store.package_path(@context.package_key(item.sha256)), facts.to_s)
          end
        end
      end

      # A PlainMetadata; a Metadata where that does not do, which loads RubyGems. Raises WrongRubyError.
      def metadata(yaml, item)
        known = form
        check_address(item)
        plain = PlainMetadata.read(yaml, item.package, known) if known
        return plain if plain

        rubygems
        Metadata.read(yaml, item.package).tap(&:ensure_runs_here)
      end

      def check_address(item)
        raise PackageMismatchError.address(item.package, item.sha256) unless item.addressed?
      end

      def form
        @mutex.synchronize do
          return @form if defined?(@form)

          @form = RubygemsForm.recall(@store, @context.derived_key)
        end
      end

      # Never killed half-way: the `require` of RubyGems takes that for a fault of its own.
      def rubygems
        folder = scratch
        Thread.handle_interrupt(Object => :never) do
          Openssl.load
          @mutex.synchronize do
            Install.const_get(:Metadata)
            @form = RubygemsForm.learn(@store, @context.derived_key, folder) if @form.nil?
          end
        end
      end

      # files: Native::Unpacked or Native::Manifest.
      def first_lines(facts, files)
        return {} if facts.executables.empty?

        paths = files.paths
        facts.executables.to_h do |name|
          index = paths.index(facts.executable(name))
          [name, index && first_line(files.entry(index))]
        end
      end

      def first_line(entry)
        return "" unless entry[:type] == :file

        path = @context.native.object_path(entry[:sha256], entry[:mode])
        (File.binread(path, FIRST_LINE) || "").lines.first.to_s
      end

      # The archive and the derived texts come before the manifest: what has a manifest has everything.
      def keep(item, archive, derived)
        store_archive(item, archive)
        write(item, derived)
        yield
        item.manifest = package(item)
        item.derived = derived
        remember(item, archive)
      end

      def package(item) = @store.package(@context.package_key(item.sha256))

      # Only the word of a source itself counts for other applications: what one of them has in its vendor/cache or
      # writes into its CHECKSUMS is its own affair.
      def remember(item, archive)
        @store.remember_name(archive.domain, item.full_name, item.sha256) if archive.domain
      end

      def store_archive(item, archive)
        target = @store.archive_path(item.sha256)
        return if Seal.whole?(target, item.sha256)

        File.unlink(target) if File.symlink?(target) || File.file?(target)
        return File.rename(archive.path, target) && Seal.set(target) if archive.owned

        copy = { seen: archive.seen, temporary: @store.temporary("archive") }
        return if Seal.copy(archive.path, target, item.sha256, **copy)

        raise ChecksumError.new("#{item.full_name}: #{archive.path} changed while it was installed",
                                hint: ArchiveError::HINTS[:checksum])
      end

      # The package is there, but not its texts for this RubyGems: they are made from the archive's metadata.
      def derive_again(item, archive)
        return remember(item, archive) if item.derived

        verify(item, archive)
        store_archive(item, archive)
        item.derived = (Derived.recall(@store, @context.derived_key, item.texts) if item.right?) || derive(item)
        remember(item, archive)
      end

      def derive(item)
        rubygems
        metadata = metadata(Metadata.yaml_of(@store.archive_path(item.sha256)), item)
        metadata.derived(first_lines(item.facts, item.manifest), scratch).tap { |derived| write(item, derived) }
      end

      def write(item, derived) = @store.write("specs", "#{@context.derived_key}/#{item.texts}", derived.to_s)

      # The archive was not unpacked this time, so nothing has hashed it yet.
      def verify(item, archive)
        found = Native.sha256_file(archive.path)
        return if found == item.sha256

        raise ChecksumError.new("#{item.full_name}: expected the SHA-256 #{item.sha256}, found #{found} " \
                                "in #{archive.path}", hint: ArchiveError::HINTS[:checksum])
      end

      def discard(archive)
        File.unlink(archive.path) if archive.owned && File.exist?(archive.path)
      end

      # A folder for the first lines of executables, one for the run; Metadata serialises its use.
      def scratch = @mutex.synchronize { @scratch ||= @store.temporary("texts") }
    end
  end
end
