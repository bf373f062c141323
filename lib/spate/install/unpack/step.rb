# frozen_string_literal: true

module Spate
  module Install
    module Unpack
      # From an archive to a package in the store: its files, the archive, the generated files, and the manifest last,
      # so that what has a manifest has everything. An item that has its manifest already only gets what it lacks.
      class Step
        def initialize(context)
          @context = context
          @store = context.store
          @reader = Specification::Reader.new(@store, context.layout)
        end

        # Loads RubyGems where it will be needed, beside the first downloads.
        def warm_up = @reader.warm_up

        # Fills item: sha256, manifest, facts, generated, tree, origin, bytes.
        def call(item, archive)
          item.origin = archive.origin
          item.bytes = archive.bytes
          item.manifest ||= package(item) if item.sha256
          item.manifest ? complete(item, archive) : unpack(item, archive)
          remember(item, archive)
        ensure
          archive.discard
        end

        def clean = @reader.clean

        private

        def unpack(item, archive)
          started = now
          item.tree = @context.trees? ? @store.temporary("tree") : nil # now: a killed thread gets no further
          unpacked = converting(item, archive) { open(archive, item.tree) }
          read(item, archive, unpacked)
          @context.events.emit(:unpacked, name: item.full_name, files: unpacked.count, bytes: unpacked.bytes,
                                          seconds: (now - started).round(6))
          ignored, first = unpacked.ignored
          @context.events.emit(:members_ignored, name: item.full_name, members: ignored, first: first) if ignored
        ensure
          unpacked&.close
        end

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

        # What the core says of an archive or of the store it writes to.
        def converting(item, archive)
          yield
        rescue Native::Error => e
          raise ArchiveError.for(e, item.full_name, archive, @store)
        end

        def open(archive, tree)
          @context.native.unpack(archive.path, kind: :gem, sha256: archive.expected, tree: tree,
                                               memory: @context.memory, mode_mask: @context.mode_mask,
                                               **@context.limits)
        end

        def read(item, archive, unpacked)
          item.sha256 = unpacked.sha256
          check_address(item)
          metadata = @reader.read(unpacked.metadata, item.package)
          facts = metadata.facts(unpacked.paths, verified: archive.verified)
          executables = Executables.new(@context, facts)
          executables.mark(unpacked, item.tree)
          item.generated = metadata.generate(executables.first_lines(unpacked), @reader.scratch)
          keep(item, archive, unpacked, facts)
        end

        def check_address(item)
          raise Specification::PackageMismatchError.address(item.package, item.sha256) unless item.addressed?
        end

        def keep(item, archive, unpacked, facts)
          archive.keep(@store, item.full_name, item.sha256)
          item.generated.keep(@store, @context.rubygems_key, item.texts)
          path = @store.package_path(@context.package_key(item.sha256))
          converting(item, archive) { unpacked.write_manifest(path, facts.to_s) }
          item.have(package(item), facts)
        end

        def package(item) = @store.package(@context.package_key(item.sha256))

        # The package is there, but perhaps not what this RubyGems generates for it; the archive's metadata tells.
        def complete(item, archive)
          return if item.generated

          archive.verify(item.full_name, item.sha256)
          archive.keep(@store, item.full_name, item.sha256)
          item.generated = recalled(item) || generate(item)
        end

        def recalled(item)
          return unless item.right?

          Specification::GeneratedFiles.recall(@store, @context.rubygems_key, item.texts)
        end

        def generate(item)
          check_address(item)
          metadata = @reader.read_archive(@store.archive_path(item.sha256), item.package)
          lines = Executables.new(@context, item.facts).first_lines(item.manifest)
          metadata.generate(lines, @reader.scratch).tap do |generated|
            generated.keep(@store, @context.rubygems_key, item.texts)
          end
        end

        # Only what a source itself says counts for other applications; what one of them has in its vendor/cache or
        # writes into its CHECKSUMS does not.
        def remember(item, archive)
          @store.remember_name(archive.domain, item.full_name, item.sha256) if archive.domain
        end
      end
    end
  end
end
