# frozen_string_literal: true

module Spate
  module CLI
    class Doctor
      # Checks the store's owner, and searches for damage without reading files.
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
          if bad.any?
            return Finding.odd("#{Units.count(bad.length, "manifest")} cannot be read",
                               hint: "spate store verify")
          end

          old = @good.count { |manifest| !manifest.this_boot? }
          Finding.ok(old.zero? ? text : "#{text}, #{old} of them not checked since the last boot")
        end

        # Compares sizes and mtimes. This detects edited and truncated files, but not a flipped bit.
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

      # Checks whether the store's files can be linked into the bundle, and whether there is enough disk space.
      class DiskCheck
        LOW = 1_000_000_000

        def initialize(context)
          @store = context.store
          @bundle = begin
            context.layout.root
          rescue Gemfile::NotFound
            nil # doctor also runs outside of an application
          end
        end

        def each
          yield space(@store.root)
          return unless @bundle

          yield space(@bundle) unless same?
          yield linking
          yield link_limit
        end

        private

        def space(path)
          all, free = ::Spate::Store::Full.sizes(path)
          return Finding.odd("free space for #{path} is unknown") unless free
          return no_space(path) if all.zero?

          text = "#{Units.bytes(free)} free for #{path}"
          free < LOW ? Finding.odd(text, hint: "`spate store prune` removes what no project uses") : Finding.ok(text)
        end

        # The finding for /proc and similar file systems, which have no space for files.
        def no_space(path)
          Finding.odd("the file system of #{path} cannot store files",
                      hint: "#{path == @store.root ? "SPATE_HOME=DIR" : "`bundle config path`"} sets another folder")
        end

        def same? = device(@store.root) == device(@bundle)

        def linking
          nearest = Util::Files.nearest(@bundle)
          unless File.writable?(nearest)
            where = nearest == @bundle ? "there" : "into #{@bundle}"
            return Finding.odd("#{nearest} is not writable: nothing can be installed #{where}",
                               hint: "`bundle config path` shows which setting names that folder")
          end
          return probe if same?

          Finding.odd("store and bundle are on different file systems (#{@store.root}, #{@bundle}): files are copied",
                      hint: "set SPATE_HOME to a folder on the bundle's file system to link them")
        end

        # Tests whether hard links between the store's folder and the bundle's folder work.
        def probe
          source = File.join(Util::Files.nearest(@store.root), ".spate-doctor-#{Process.pid}")
          target = File.join(Util::Files.nearest(@bundle), ".spate-doctor-#{Process.pid}-link")
          File.write(source, "spate")
          File.link(source, target)
          Finding.ok("files are linked from the store into the bundle" \
                     "#{"; the file system also supports reflinks" if reflinks?(source)}")
        rescue SystemCallError => e
          Finding.odd("no link from #{@store.root} to #{@bundle}: #{e.class.new.message.downcase}; files are copied",
                      hint: "use a file system with hard links for faster installs")
        ensure
          [source, target].compact.each { |path| File.unlink(path) if File.exist?(path) }
        end

        def reflinks?(source)
          copy = "#{source}.clone"
          system("cp", "--reflink=always", source, copy, err: File::NULL, out: File::NULL) ? true : false
        ensure
          File.unlink(copy) if File.exist?(copy)
        end

        def link_limit
          limit = IO.popen(["getconf", "LINK_MAX", Util::Files.nearest(@store.root)], err: File::NULL, &:read).to_i
          return Finding.ok("a file may have #{limit} hard links") unless limit.between?(1, 1000)

          Finding.odd("a file may have at most #{limit} hard links: files are copied for further projects")
        rescue SystemCallError
          Finding.ok("the hard link limit of this file system is unknown")
        end

        def device(path) = File.stat(Util::Files.nearest(path)).dev
      end
    end
  end
end
