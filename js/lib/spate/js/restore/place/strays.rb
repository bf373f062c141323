# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Finds files in a project's node_modules that do not belong there. Checks only folders of that name, and below
        # them those in which the plan has something. Links are not followed.
        class Strays
          MODULES = "node_modules"
          # Hidden names at the top that belong to package managers. Caches of other programs stay, as with them.
          THEIRS = /\A\.(?:bin|pnpm|package-lock\.json.*|modules\.yaml.*|pnpm-workspace-state.*|yarn-.*|yarn_integrity|
                      store|ignored.*|spate-old.*)\z/x

          # plan: Plan; entries: paths of links, bins and state files. bundled: answers for a tree's path which names
          # are in its node_modules by its archive.
          def initialize(plan, entries, &bundled)
            @root = plan.root
            @projects = plan.projects
            @trees = plan.trees.reject { |tree| tree.path.start_with?("/") }.to_h { |tree| [tree.path, true] }
            @leaves = entries.to_h { |path| [path, true] }
            @above = {}
            [*@trees.keys, *@leaves.keys].each { |path| note(File.dirname(path)) }
            plan.folders&.each { |path| note(path) }
            @bundled = bundled
          end

          # Paths relative to the root. Raises FolderError.
          def call
            tops = @projects.map { |folder| folder == "." ? MODULES : "#{folder}/#{MODULES}" }
            found = tops.flat_map { |top| look(top, top: true) }
            found + @trees.keys.flat_map { |path| nested(path) }
          end

          private

          def note(path)
            until path == "." || path == "/" || @above[path]
              @above[path] = true
              path = File.dirname(path)
            end
          end

          def look(folder, top: false)
            return [] unless folder?(folder)

            Dir.children(File.join(@root, folder)).sort.flat_map do |name|
              path = "#{folder}/#{name}"
              next [] if @trees[path] || @leaves[path] || (top && name.start_with?(".") && !THEIRS.match?(name))

              @above[path] ? look(path) : [path]
            end
          end

          # Strays beside a tree's own nested packages.
          def nested(tree)
            folder = "#{tree}/#{MODULES}"
            return [] unless folder?(folder)

            own = @bundled.call(tree)
            return own.empty? ? [folder] : [] unless @above[folder]

            look(folder).reject { |path| own.any? { |name| inside?(path, "#{folder}/#{name}") } }
          end

          def inside?(path, folder) = path == folder || path.start_with?("#{folder}/") || folder.start_with?("#{path}/")

          # Whether a path and all above it are real folders.
          def folder?(path)
            @folders ||= { "." => true }
            @folders.fetch(path) do
              stat = Store::Object.lstat(File.join(@root, path)) if folder?(File.dirname(path))
              @folders[path] = !stat.nil? && stat.directory?
            end
          end
        end
      end
    end
  end
end
