# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Supply
        # Finds packages in the store, and unpacks archives into it. The archives themselves are not kept.
        class Packages
          PACKAGE = "package.json"
          # Maximum ratio of inflated to deflated size in the format of deflate.
          MOST_INFLATED = 1032
          BUNDLED = %r{(?:\A|/)node_modules/(?:@[^/]+/)?[^/]+/package\.json\z}

          def initialize(context)
            @context = context
            @store = context.store
            @native = context.native
            @turn = Mutex.new
            @origins = Origins.new(context)
          end

          # Whether the tree's own address serves its archive. Raises the errors of Origins#vouch?.
          def vouch?(item, tree) = @origins.vouch?(item, tree.package)

          # Sets manifest and facts if the store has the package. Returns whether it does.
          def find(item) = item.names.any? { |name| found?(item, @store.package(name), name) }

          # Like #find, for many items. Returns the items whose package the store does not have.
          def lacking(items)
            names = items.to_h { |item| [item, item.names.first] }.compact
            found = names.keys.zip(@native.manifests(names.values.map { |name| @store.package_path(name) })).to_h
            items.reject { |item| found?(item, found[item], names[item]) || find(item) }
          end

          # Whether the store has the complete unpatched package of a patched one. A missing one is fetched like any
          # other package.
          def base?(item) = !item.base.nil? && (item.base.stored? || whole?(item.base))

          # path: the item's archive, if it was fetched. tree: a folder to create as well, or nil. Raises the errors of
          # #unpack.
          def take(item, path, tree: nil)
            return unpack(item, path, tree: tree) unless item.patch

            unpack(item.base, path) unless base?(item)
            Patched.new(@context).call(item)
            find(item)
          end

          # path: the item's archive. tree: a folder to create as well, or nil. Raises ChecksumError, ArchiveError,
          # PackageFileError, Store::Error.
          def unpack(item, path, tree: nil)
            started = Util.now
            digest = Digests.verify(item, path)
            item.tree = tree
            unpacked = open(item, path, tree)
            item.published = digest ? item.integrity.name(digest) : "sha256-#{unpacked.sha256}"
            keep(item, unpacked, tree)
            @origins.note(item.package, item.published) if item.facts.builds?
            @context.events.emit(:js_unpacked, name: item.full_name, files: unpacked.count, bytes: unpacked.bytes,
                                               seconds: (Util.now - started).round(6))
            ignored, first = unpacked.ignored
            @context.events.emit(:members_ignored, name: item.full_name, members: ignored, first: first) if ignored
          rescue Native::Error => e
            raise ArchiveError.for(e, item, @store)
          ensure
            unpacked&.close
          end

          private

          def whole?(item)
            return false unless find(item)

            path = @store.package_path(item.key)
            item.manifest = @store.renew([path])[path]
            item.stored?
          end

          def found?(item, manifest, name)
            facts = manifest && Package::Facts.parse(manifest.facts) or return false
            item.published = name
            item.manifest = manifest
            item.facts = facts
            Rewritten.new(@context, item).call
            true
          end

          def open(item, path, tree)
            in_turn(path) do
              @native.unpack(path, kind: :npm, sha512: Digests.for_core(item.integrity), tree: tree,
                                   memory: Context::MEMORY, **(@context.options.serial ? { parallel_from: false } : {}))
            end
          rescue Native::Error => e
            raise unless e.status == :checksum && item.integrity

            raise ChecksumError.new(item, Digests.of(item.integrity, path))
          end

          # Unpacks large archives one at a time. A gzip file ends with its inflated size, which is not read for small
          # files.
          def in_turn(path, &)
            size = File.size(path)
            return yield if size < Context::LARGE / MOST_INFLATED

            length = File.binread(path, 4, [size - 4, 0].max).to_s.unpack1("V").to_i
            length < Context::LARGE ? yield : @turn.synchronize(&)
          end

          # Writes the manifest last, because a package with a manifest is complete.
          def keep(item, unpacked, tree)
            paths = unpacked.paths
            facts = facts(item, unpacked, paths)
            mark_executables(facts, unpacked, paths, tree)
            unpacked.write_manifest(@store.package_path(item.published), facts.to_s)
            item.manifest = @store.package(item.published)
            item.facts = facts
            Rewritten.new(@context, item).call
          end

          # A package without a package.json has no bins and scripts.
          def facts(item, unpacked, paths)
            index = paths.index(PACKAGE) or return Package::Facts.new(name: item.package.name,
                                                                      version: item.package.version)
            text = content(unpacked.entry(index))
            Package::Facts.read(text, paths, item.full_name) do |path|
              entry = unpacked.entry(paths.index(path))
              if entry[:type] == :file
                File.binread(object(entry),
                             Package::Facts::Reader::FIRST_LINE).to_s.lines.first.to_s
              else
                ""
              end
            end
          end

          def content(entry) = entry[:type] == :file ? File.binread(object(entry)) : ""
          def object(entry) = @native.object_path(entry[:sha256], entry[:mode])

          # Makes the files in a package's bins executable, as npm and pnpm do.
          def mark_executables(facts, unpacked, paths, tree)
            executables = (facts.executables | bundled_executables(facts, unpacked, paths)) & paths
            Install::Unpack::ExecutableBits.mark(@store, unpacked, executables.map { |path| paths.index(path) }, tree)
          end

          # Bins of the packages inside the archive. They are linked like all others.
          def bundled_executables(facts, unpacked, paths)
            return [] if facts.bundled.empty?

            paths.grep(BUNDLED).flat_map do |path|
              text = content(unpacked.entry(paths.index(path)))
              Package::Facts.read(text, paths, path).executables.map { |file| "#{File.dirname(path)}/#{file}" }
            rescue PackageFileError
              []
            end
          end
        end

        # Fetches and unpacks packages that the store lacks, as a participant of a Backlog. Results go through one
        # queue, so that a single thread makes the decisions.
        class Acquisition
          # The block returns whether to also create the files of an item as a tree.
          def initialize(context, packages, &tree)
            @context = context
            @store = context.store
            @packages = packages
            @tree = tree
            @results = Thread::Queue.new
            @archives = {}
            @mutex = Mutex.new
          end

          def add(items)
            return if items.empty?

            refuse_network(items)
            @begun = true
            @context.backlog.add(self, items)
          end

          # Waits for the next item that is done. Returns [item, error or nil].
          def next = @results.pop
          # The next item if one is done, otherwise nil.
          def next? = @results.empty? ? nil : @results.pop

          # Ends all work. When it returns, no thread runs and no temporary file is left.
          def stop
            return unless @begun

            @context.backlog.remove(self)
            @archives.each_key { |path| Util::Files.remove(path) if File.exist?(path) }
          end

          # The following methods are called by the Backlog.
          def rank = 1
          # A patched package needs no archive if its base is in the store.
          def local(item) = @packages.base?(item) ? :stored : nil
          def lane(_item, _archive) = 3
          def close = @context.close_client

          def obtain(item)
            path = @store.temporary("archive")
            @mutex.synchronize { @archives[path] = true }
            @context.events.emit(:js_fetch_start, name: item.full_name)
            item.bytes = @context.client.fetch(item.package, to: path).bytes
            @context.events.emit(:js_fetch_done, name: item.full_name, bytes: item.bytes)
            path
          end

          def unpack(item, path)
            @packages.take(item, path, tree: (@store.temporary("tree") if @tree.call(item)))
            @results << [item, nil]
          ensure
            Util::Files.remove(path) if path.is_a?(String)
            @mutex.synchronize { @archives.delete(path) }
          end

          def failed(item, error)
            item.discard_tree
            error = Store::Error.for(error, @store.root) if error.is_a?(SystemCallError)
            @results << [item, error]
          end

          private

          def refuse_network(items)
            absent = items.reject { |item| item.package.file? || @packages.base?(item) } if @context.options.local
            raise NotLocalError, absent.map(&:full_name) if absent&.any?
          end
        end
      end
    end
  end
end
