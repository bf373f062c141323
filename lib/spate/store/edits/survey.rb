# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # Sorts the differences of one bundle: poisoned objects, files of the user, and those whose time alone differs.
      class Survey
        # [Edit] of the user's own files; paths of manifests whose recorded times are out of date.
        attr_reader :changes, :touched

        def initialize(store, bundle, jobs)
          @store = store
          @bundle = bundle
          @root = bundle.root
          @jobs = jobs
          @changes = []
          @touched = []
          @poisoned = {}
        end

        def read(differences)
          differences.group_by { |job, manifest,| [job, manifest] }.each do |(job, number), found|
            destination, manifests = @jobs[job]
            manifest = manifests[number]
            found.map! { |_, _, index, kind| [manifest.entry(index), kind] }
            next if destination == @root && built_elsewhere?(manifest, found.map(&:first))

            found.each { |entry, kind| look(destination, manifest, entry, kind) }
          end
          self
        end

        # [[manifest, [Object]], ...]
        def poisoned
          @poisoned.values.group_by(&:first).map { |manifest, pairs| [manifest, pairs.map(&:last)] }
        end

        private

        # Whether no file of a build is the one that this store put there: another store installed this bundle since, or
        # Bundler built the gem again. Builds of one source differ, so its content says nothing of edits.
        def built_elsewhere?(build, differing)
          differing = differing.select { |entry| entry[:type] == :file }.to_h { |entry| [entry[:path], entry] }
          files = Array.new(build.count) { |index| build.entry(index) }.select { |entry| entry[:type] == :file }
          files.all? { |entry| differing[entry[:path]] } &&
            differing.none? { |path, entry| Object.of(@store, entry).same?(File.join(@root, path)) } &&
            differing.any? { |path, _| File.exist?(File.join(@root, path)) }
        end

        def look(destination, manifest, entry, kind)
          file = File.join(destination, entry[:path])
          return change(file, kind == :changed ? :replaced : kind) unless kind == :changed && entry[:type] == :file

          object = Object.of(@store, entry)
          return look_through_link(object, manifest) if object.same?(file)

          look_at_own(file, entry, manifest) unless object.right?(file) || built?(file)
        end

        def look_through_link(object, manifest)
          if object.good?
            @touched |= paths_of(manifest, object.entry[:path])
          else
            poison(object, manifest)
          end
        end

        # Not the store's inode. Projects may share it all the same: when another package brought the same file in the
        # meantime, the store took that one as its object.
        def look_at_own(file, entry, manifest)
          stray = Object.of(@store, entry, file)
          stray.links > 1 && ours?(stray) ? poison(stray, manifest) : change(file, :replaced, mode_only: stray.content?)
        end

        # A name that no record explains may be another store's, whose objects are not for this one to replace.
        def ours?(stray)
          places = Places.new(@store, [stray]).of(stray).size
          places > 1 && places == stray.links
        end

        def poison(object, manifest)
          @poisoned[[object.name, object.stat.ino]] ||= [manifest, object]
        end

        # A manifest does not know its own name: a package's begins with its archive, a build's is one of the bundle's.
        def paths_of(manifest, path)
          builds = @bundle.respond_to?(:builds) ? @bundle.builds : []
          named = builds.select { |key| @store.build(key)&.include?(path) }.map { |key| @store.build_path(key) }
          packages = @store.package_keys(manifest.sha256).map { |key| @store.package_path(key) }
          (packages + named).select { |found| File.file?(found) }
        end

        # A build lies over its package in the same tree, as a job of its own that checks the same file.
        def built?(file)
          @jobs.any? do |destination, manifests|
            file.start_with?("#{destination}/") && manifests.any? do |manifest|
              found = entry(manifest, file.delete_prefix("#{destination}/"))
              found && Object.of(@store, found).right?(file)
            end
          end
        end

        def entry(manifest, path)
          index = manifest.index(path)
          manifest.entry(index) if index
        end

        def change(file, kind, **more)
          place = Place.new(bundle: @bundle, inside: file.delete_prefix("#{@root}/"))
          @changes << Edit.new(kind: kind, name: place.package, path: place.path, project_root: @root, kept_at: [file],
                               **more)
        end
      end
    end
  end
end
