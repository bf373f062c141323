# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Supply
        # A package as its tool has it in place, where that differs from the archive: npm calls a .gitignore
        # .npmignore, and the first line of a bin loses its carriage return. Few packages have either. It is a package
        # of its own in the store, made from the other.
        class Rewritten
          IGNORE = ".gitignore"
          CARRIAGE_RETURN = /\A(#![^\n]+)\r\n/n

          # item: one that the store has.
          def initialize(context, item)
            @store = context.store
            @native = context.native
            @item = item
          end

          # Sets the item's package to the rewritten one.
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

          # nil where both are there: .npmignore is the one that stays.
          def renamed(entry, paths)
            return entry unless ignores.include?(entry[:path])

            path = "#{entry[:path].delete_suffix(IGNORE)}.npmignore"
            paths[path] ? nil : { **entry, path: path }
          end

          def trimmed(entry)
            return entry unless lines.include?(entry[:path])

            temporary = @store.temporary("executable")
            text = File.binread(@native.object_path(entry[:sha256], entry[:mode]))
            File.binwrite(temporary, text.sub(CARRIAGE_RETURN, "\\1\n".b))
            File.chmod(entry[:mode], temporary)
            { path: entry[:path], **@native.adopt(temporary) }
          ensure
            Util::Files.remove(temporary) if temporary
          end
        end
      end
    end
  end
end
