# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Supply
        # A package whose installed files differ from its archive: npm renames .gitignore to .npmignore, and removes the
        # carriage return from the first line of a bin. Few packages are affected. The store contains the result as a
        # separate package.
        class Rewritten
          IGNORE = ".gitignore"
          CARRIAGE_RETURN = /\A(#![^\n]+)\r\n/n

          # item: an item whose package is in the store.
          def initialize(context, item)
            @store = context.store
            @native = context.native
            @item = item
          end

          # Replaces the item's package with the rewritten one.
          def call
            @item.key = @item.published
            return if ignores.empty? && lines.empty?

            @item.discard_tree
            @item.key = "#{@item.published}-#{[(:ignore if ignores.any?), (:line if lines.any?)].compact.join("-")}"
            make unless @store.package(@item.key)
            @item.manifest = @store.package(@item.key)
          end

          private

          def ignores = @item.rewrites.include?(:gitignore) ? @item.facts.gitignores : []

          def lines
            return [] unless @item.rewrites.include?(:hashbang)

            @lines ||= @item.facts.shebangs.select { |_, line| CARRIAGE_RETURN.match?(line.b) }.keys
          end

          def make
            entries = Array.new(@item.manifest.count) { |index| @item.manifest.entry(index) }
            paths = entries.to_h { |entry| [entry[:path], true] }
            kept = entries.filter_map { |entry| renamed(entry, paths) }.map { |entry| trimmed(entry) }
            @native.write_manifest(@store.package_path(@item.key), @item.manifest.sha256, kept, @item.manifest.facts)
          end

          # The entry with its new path. nil if the archive also has an .npmignore, which replaces this file.
          def renamed(entry, paths)
            return entry unless ignores.include?(entry[:path])

            path = "#{entry[:path].delete_suffix(IGNORE)}.npmignore"
            paths[path] ? nil : { **entry, path: path }
          end

          def trimmed(entry)
            return entry unless lines.include?(entry[:path])

            adopted = Install::Unpack::ExecutableBits.adopt(@store, entry) do |text|
              text.sub(CARRIAGE_RETURN, "\\1\n".b)
            end
            { path: entry[:path], **adopted }
          end
        end

        # Patches a package with a patch from the project. Copies of its files are patched in a folder below tmp/ and
        # become a package in the store. Its name is derived from the package and the patch.
        class Patched
          def initialize(context)
            @context = context
            @store = context.store
            @native = context.native
          end

          # item: an item with a patch, whose base is in the store. Writes its manifest. Raises the errors of
          # Pnpm::Patch.
          def call(item)
            @folder = @store.temporary("patch")
            place(item.base)
            text = File.binread(item.patch)
            Pnpm::Patch.apply(@folder, item.patch, text, loose: item.loose?)
            item.published = item.patched(item.base.published, text)
            keep(item)
          ensure
            Store::Sweep.remove(@folder)
          end

          private

          def place(base)
            result = @native.link([[@folder, [base.manifest], :copy]]).first
            raise Interrupted, "interrupted" if result.status == :cancelled
            return if result.ok?
            raise Store::Error.for(result.errno, @folder) unless result.errno.zero?

            raise Store::Missing.new("#{base.full_name}: #{result.message}", hint: "run `spate js` again")
          end

          def keep(item)
            paths = Dir.glob("**/*", File::FNM_DOTMATCH, base: @folder).select { |path| File.file?(path(path)) }.sort
            facts = facts(item, paths)
            (facts.executables & paths).each { |path| File.chmod(File.stat(path(path)).mode | 0o111, path(path)) }
            entries = paths.map { |path| { path: path, **@native.adopt(path(path)) } }
            @native.write_manifest(@store.package_path(item.published), item.base.manifest.sha256, entries, facts.to_s)
          end

          def path(inside) = File.join(@folder, inside)

          # Reads the facts again, since a patch may also change the package.json.
          def facts(item, paths)
            file = File.join(@folder, Packages::PACKAGE)
            return item.base.facts unless File.file?(file)

            Package::Facts.read(File.read(file, encoding: Encoding::UTF_8), paths, item.full_name) do |path|
              File.binread(File.join(@folder, path), Package::Facts::Reader::FIRST_LINE).to_s.lines.first.to_s
            end
          end
        end
      end
    end
  end
end
