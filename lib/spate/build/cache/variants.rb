# frozen_string_literal: true

module Spate
  module Build
    module Cache
      # The builds of one store under a build key, each with its record of inputs.
      #
      #   builds/<build key>-<id>        the manifest
      #   variants/<build key>/<id>    its inputs; written last. Without this file only its own bundle uses the build
      #   variants/<build key>/<id>.needs    libraries and processor that a machine without a compiler needs to use it
      #
      # An id has a suffix if other signers' builds are involved: versions of Spate without a team cache do not read
      # those.
      class Variants
        FOLDER = "variants"
        # Maximum number of a machine's own builds per key, and of signed builds; the most recently used ones are kept.
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

        # [Entry], ordered by last use. Builds signed by others, or that read such builds, are included only if the
        # block returns true for each [key's id, Unix time].
        def all(&trusts) = lazy(&trusts).to_a

        # Like all, but reads each entry on demand, since usually the first one matches.
        def lazy(&trusts)
          ids.lazy.filter_map { |id| Entry.find(@store, key(id)) }
             .select { |stored| stored.record.signers.all? { |signer| trusts&.call(*signer) } }
        end

        # The name of the build with the given id.
        def key(id) = "#{@key}-#{id}"

        # An unused id. inputs: text of the record of inputs; equal inputs get the same name. record: Record.
        def name(inputs, record)
          id = Store.sha256(inputs)[0, 16]
          mark = self.class.mark(record)
          id = Store.sha256("#{id} #{Random.urandom(16)}")[0, 16] while File.exist?(@store.build_path(key(id + mark)))
          id + mark
        end

        # Makes the build a variant. files: {suffix => path of a temporary file}; "" for the inputs.
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

        # The build itself is kept until it is pruned, because bundles may use it.
        def drop(path)
          [path, "#{path}#{NEEDS}"].each { |file| File.unlink(file) if File.exist?(file) }
        rescue Errno::ENOENT
          nil # removed by another process
        end
      end
    end
  end
end
