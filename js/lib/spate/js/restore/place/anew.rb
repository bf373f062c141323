# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Restores packages that stayed in place to the content of their archives: they may have been edited, or changed
        # by scripts that would run differently now. Nested packages and executables stay.
        class Anew
          MODULES = "node_modules"

          # stayed: trees that were in place before.
          def initialize(context, items, stayed, trash)
            @context = context
            @store = context.store
            @items = items
            @trash = trash
            @mutex = Mutex.new
            @stayed = stayed.to_h { |tree| [tree.path, true] }
          end

          # Does nothing for one that this restore has placed. From any thread.
          def call(tree)
            return unless @stayed[tree.path]

            folder = @context.path(tree.path)
            manifest = @items.of(tree).manifest
            @mutex.synchronize { clear(folder, manifest) }
            result = @context.native.link([[folder, [manifest], :copy]]).first
            return if result.ok?

            raise Store::Error.new("#{tree.package.full_name}: #{result.message}", hint: "restore again")
          end

          # Whether a tree has exactly the files of its archive, unchanged. files: relative to it.
          def whole?(tree, files)
            manifest = @items.of(tree).manifest
            (files - manifest.paths).all? { |path| path.start_with?("#{MODULES}/") } &&
              Native.check_trees([[@context.path(tree.path), [manifest]]], 1, @store.owner).empty?
          end

          private

          def clear(folder, manifest)
            @trash.clear(folder, MODULES)
            manifest.paths.each do |path|
              next unless path.start_with?("#{MODULES}/")

              full = "#{folder}/#{path}"
              next if File.directory?(full) && !File.symlink?(full)

              @trash.take(full)
              @trash.made(full)
            end
          end
        end
      end
    end
  end
end
