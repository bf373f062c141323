# frozen_string_literal: true

module Spate
  module Build
    module Cache
      # The builds of one store with the same build key, each with its record of inputs.
      #
      #   builds/<build key>-<id>        the manifest
      #   variants/<build key>/<id>    its inputs; written last. Without this file, other bundles do not use the build
      #   variants/<build key>/<id>.needs    libraries and processor that a machine without a compiler needs to use it
      #
      # The id of a build that is signed or reads signed builds has a suffix. Versions of Spate without team caches
      # ignore such ids.
      class Variants
        FOLDER = "variants"
        # The maximum number of local builds per key, and of signed builds per key. The most recently used ones are
        # kept.
        MOST = 8
        ID = /\A\h{16}(?:-\h{16})?\z/
        NEEDS = ".needs"
        # Minimum seconds between two updates of the time of use.
        DAY = 24 * 60 * 60

        # [Entry] of all keys of a store, ordered by key.
        def self.every(store)
          Dir.glob("*", base: store.path(FOLDER)).sort.flat_map { |key| new(store, key).all { true } }
        end

        def self.mark(record)
          return "" if record.signers.empty?

          "-#{Store.sha256("signer #{record.signer&.join(" ")} sees #{record.sees.sort.join(" ")}")[0, 16]}"
        end

        def initialize(store, key)
          @store = store
          @key = key
        end

        # [Entry], ordered by last use. Builds that are signed or read signed builds are included only if the block
        # returns true for each signer (key id, Unix time).
        def all(&trusts) = lazy(&trusts).to_a

        # Like all, but reads each entry on demand, because the first one usually matches.
        def lazy(&trusts)
          ids.lazy.filter_map { |id| Entry.find(@store, key(id)) }
             .select { |stored| stored.record.signers.all? { |signer| trusts&.call(*signer) } }
        end

        # The name of the build with the given id.
        def key(id) = "#{@key}-#{id}"

        # Returns an unused id, a hash of the inputs if possible. inputs: text of the record of inputs. record: Record.
        def name(inputs, record)
          id = Store.sha256(inputs)[0, 16]
          mark = self.class.mark(record)
          id = Store.sha256("#{id} #{Random.urandom(16)}")[0, 16] while File.exist?(@store.build_path(key(id + mark)))
          id + mark
        end

        # Makes the build available to other bundles. files: {suffix => path of a temporary file}; "" for the inputs.
        def commit(id, files)
          [@store.path(FOLDER), folder].each { |path| @store.make(path) }
          files.sort.reverse_each { |suffix, path| File.rename(path, "#{folder}/#{id}#{suffix}") }
          ids.partition { |name| name.include?("-") }.each do |some|
            some.drop(MOST).each { |old| drop("#{folder}/#{old}") }
          end
        end

        private

        def folder = @store.path(FOLDER, @key)

        def ids
          Dir.children(folder).grep(ID).sort_by { |id| [-used(id), id] }
        rescue Errno::ENOENT
          []
        end

        def used(id)
          File.mtime("#{folder}/#{id}").to_r
        rescue SystemCallError
          0
        end

        # Keeps the build itself until it is pruned, because bundles may use it.
        def drop(path)
          [path, "#{path}#{NEEDS}"].each { |file| File.unlink(file) if File.exist?(file) }
        rescue Errno::ENOENT
          nil # removed by another process
        end
      end
    end
  end
end
