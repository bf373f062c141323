# frozen_string_literal: true

module Spate
  module CLI
    class Doctor
      # Checks the store's owner, and looks for damage without reading files.
      class StoreCheck
        def initialize(context)
          @store = context.store
          @temporary = context.temporary?
          @native = @store.native if File.directory?(@store.root)
        end

        def each
          return yield(temporary) if @temporary
          return yield(Finding.ok("no store yet in #{@store.root}; the first install creates it")) unless @native

          yield owner
          yield manifests
          yield objects
          yield builds
          yield unfinished
        end

        private

        def temporary
          Finding.odd("the store is temporary: each command starts with an empty store and removes it at exit",
                      hint: ::Spate::Store::Temporary::HINT)
        end

        def owner
          uid = File.stat(@store.root).uid
          return Finding.ok("#{@store.root} is writable") if @store.writable? && uid == Process.euid

          text = "#{@store.root} belongs to user #{uid}"
          return Finding.odd("#{text}, and is writable for you, user #{Process.euid}") if @store.writable?

          Finding.odd("#{text} and is not writable: missing gems are installed without it",
                      hint: "set SPATE_HOME=DIR to a store of your own")
        end

        def manifests
          @good, bad = paths.map { |path| @store.open_manifest(path) }.partition(&:itself)
          text = Units.count(@good.length, "manifest")
          return Finding.odd("#{bad.length} manifests cannot be read", hint: "spate store verify") if bad.any?

          old = @good.count { |manifest| !manifest.this_boot? }
          Finding.ok(old.zero? ? text : "#{text}, #{old} of them not checked since the last boot")
        end

        # By size and time: finds edited and truncated files, but not a flipped bit.
        def objects
          seen = {}
          damaged = @good.sum { |manifest| damage(manifest, seen) }
          count = Units.count(seen.length, "object")
          return Finding.ok("#{count} unchanged, by size and time") if damaged.zero?

          Finding.odd("#{damaged} of #{count} missing or changed", hint: "spate store verify")
        end

        def builds
          records = ::Spate::Build::Cache::Entry.every(@store).map(&:record)
          bound = records.select(&:root).map(&:full_name).uniq.sort
          count = Units.count(records.size, "build")
          return Finding.ok("#{count} of extensions, usable by any bundle") if bound.empty?

          Finding.ok("#{count} of extensions; used only in their bundle, whose path they contain: #{bound.join(", ")}")
        end

        def damage(manifest, seen)
          manifest.count.times.count do |index|
            entry = manifest.entry(index)
            next if entry[:type] != :file || seen[[entry[:sha256], entry[:mode]]]

            seen[[entry[:sha256], entry[:mode]]] = true
            @native.examine(entry, hash: false).first != :good
          end
        end

        def unfinished
          stale = ::Spate::Store::Sweep.new(@store).stale.length
          return Finding.ok("no leftovers of interrupted installs") if stale.zero?

          Finding.odd("#{Units.count(stale, "folder")} left by interrupted installs",
                      hint: "the next install removes them; `spate store prune` removes them now")
        end

        def paths
          %w[packages builds].flat_map do |folder|
            Dir.glob("*", base: @store.path(folder)).map { |name| @store.path(folder, name) }
          end
        end
      end
    end
  end
end
