# frozen_string_literal: true

module Spate
  module Build
    module Cache
      # What one store has under a first key: builds, each with its record of inputs.
      #
      #   builds/<first key>-<id>        the manifest
      #   candidates/<first key>/<id>    its inputs; written last: without it only its own bundle uses a build
      #   candidates/<first key>/<id>.needs    what a machine without a compiler must have for it
      #
      # An id has a mark behind it where others' builds are in it: Spates before the team's cache do not see those.
      class Candidates
        FOLDER = "candidates"
        # Kept for each key of a machine's own, and as many of others; the ones used last stay.
        MOST = 8
        ID = /\A\h{16}(?:-\h{16})?\z/
        NEEDS = ".needs"
        # Seconds between two notes that one was used.
        DAY = 24 * 60 * 60

        # [Entry] of all keys of a store, key by key.
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

        # [Entry], last used or made first. Of those that others have signed, or that saw such builds, only if the block
        # answers true for each [key's id, Unix time].
        def all(&trusts) = lazy(&trusts).to_a

        # The same, each read when it is reached: mostly the first one fits.
        def lazy(&trusts)
          ids.lazy.filter_map { |id| Entry.find(@store, key(id)) }
             .select { |stored| stored.record.signers.all? { |signer| trusts&.call(*signer) } }
        end

        # The name of the build with an id.
        def key(id) = "#{@key}-#{id}"

        # An unused id. inputs: what the record of inputs is made of: the same inputs get the same name. record: Record.
        def name(inputs, record)
          id = Store.sha256(inputs)[0, 16]
          mark = self.class.mark(record)
          id = Store.sha256("#{id} #{Random.urandom(16)}")[0, 16] while File.exist?(@store.build_path(key(id + mark)))
          id + mark
        end

        # Makes the build a candidate. files: {suffix => path of a temporary file}; "" for the inputs.
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

        # The build itself stays for the bundles that have it, until it is pruned.
        def drop(path)
          [path, "#{path}#{NEEDS}"].each { |file| File.unlink(file) if File.exist?(file) }
        rescue Errno::ENOENT
          nil # another process did
        end
      end
    end
  end
end
