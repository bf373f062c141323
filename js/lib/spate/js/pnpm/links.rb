# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # All symbolic links of an installation: from a package to its dependencies, from projects to theirs, and to
      # hoisted packages.
      class Links
        autoload :Hoisting, "spate/js/pnpm/links/hoisting"

        # lockfile: Lockfile. selection: Selection. layout: Layout. workspace: Workspace. settings: Settings.
        def initialize(root, lockfile, selection, layout, workspace, settings)
          @root = root
          @lockfile = lockfile
          @selection = selection
          @layout = layout
          @workspace = workspace
          @settings = settings
        end

        # { path => target }
        def all
          @links = {}
          @selection.installed.each_value { |each| siblings(each) }
          @lockfile.importers.each_key do |id|
            direct(id).each { |name, target| link("#{modules(id)}/#{name}", target) }
          end
          hoisting.each { |each| link("#{folder(each)}/#{each.name}", hoisted(each)) if there?(each) }
          @links
        end

        # { alias => Snapshot } of a snapshot's installed dependencies.
        def needs(snapshot)
          needs = snapshot.needs
          needs = needs.merge(snapshot.wants) unless snapshot.wants.empty? || !@selection.optional?
          needs.each_with_object({}) do |(name, key), all|
            child = @selection.installed[key] and all[name] = child
          end
        end

        # { alias => path of the folder } in a project's node_modules.
        def direct(id)
          return named[id] if id == "." || !dedupe?

          named[id].reject { |name, target| shared[name] == target }
        end

        # Importers' ids, each after the importers to which it links. In a cycle the first by name comes last.
        def order
          open = {}
          @lockfile.importers.keys.sort.each_with_object({}) { |id, all| visit(id, all, open) }.keys
        end

        # The node_modules of a project. id: the importer's id.
        def modules(id) = id == "." ? @settings["modulesDir"] : "#{id}/#{@settings["modulesDir"]}"

        # [Hoisting::Hoisted]
        def hoisting
          @hoisting ||= Hoisting.new(@lockfile, roots, @layout, @selection.skipped, projects, reserved, @settings).all
        end

        # The folder that a hoisted name leads to.
        def hoisted(each) = each.snapshot ? @layout.path(each.snapshot) : each.folder

        private

        def there?(hoisted) = hoisted.snapshot.nil? || @selection.installed.key?(hoisted.snapshot.key)

        def visit(id, all, open)
          return if all.key?(id) || open.key?(id)

          open[id] = true
          named[id].each_value { |target| visit(target, all, open) if named.key?(target) }
          all[id] = true
        end

        def siblings(snapshot)
          modules = @layout.modules(snapshot)
          needs(snapshot).each do |name, child|
            @links["#{modules}/#{name}"] = @layout.sibling(snapshot, name, child) unless name == snapshot.name
          end
          snapshot.links.each do |name, target|
            link("#{modules}/#{name}", inside(target, ".")) unless name == snapshot.name
          end
        end

        def link(path, target)
          @links[path] = Layout.relative(File.dirname(path), target, @layout.root)
        end

        # A linked folder, relative to the root. It may be outside of the root, because package.json may refer to any
        # folder.
        def inside(path, base)
          found = File.expand_path(path, File.join(@root, base))
          return "." if found == @root

          found.start_with?("#{@root}/") ? found.delete_prefix("#{@root}/") : Layout.relative(@root, found)
        end

        def named
          @named ||= @lockfile.importers.transform_values { |importer| targets(importer) }
        end

        def targets(importer)
          @selection.wanted(importer).each_with_object({}) do |(name, version), all|
            target = target(importer.id, name, version) and all[name] = target
          end
        end

        def target(id, name, version)
          snapshot = @lockfile.direct(name, version)
          return inside(version.delete_prefix("link:"), id) unless snapshot

          @layout.path(snapshot) if @selection.installed.key?(snapshot.key)
        end

        def dedupe? = @settings["dedupeDirectDeps"] && named.key?(".") && named.size > 1

        # Links that the root's node_modules already has.
        def shared
          @shared ||= hoisting.select { |each| each.kind == "public" }.to_h { |each| [each.name, hoisted(each)] }
                              .merge(named["."])
        end

        def roots = in_turn.to_h { |id| [id, @selection.direct(@lockfile.importers[id])] }

        # Sorted by name; up to pnpm 10 projects with an .npmrc come last, because pnpm was still reading it.
        def in_turn
          ids = @lockfile.importers.keys.sort
          return ids if @settings.major > 10

          ids.partition { |id| !Reading.file?(File.join(@root, id, ".npmrc")) }.flatten
        end

        def projects = @settings["hoistWorkspacePackages"] ? @workspace.names : {}

        # Names that are not hoisted because the root has them. Before 10.12.2 these include dependencies of the root
        # that this machine cannot install. Since pnpm 12, they do not include linked projects.
        def reserved
          return roots.fetch(".", {}).keys if @settings.major >= 12
          return named.fetch(".", {}).keys unless @settings.before?(*Hoisting::OLD)

          @lockfile.importers.key?(".") ? @selection.wanted(@lockfile.importers["."]).map(&:first) : []
        end

        def folder(each) = each.kind == "public" ? modules(".") : "#{@layout.folder}/node_modules"
      end
    end
  end
end
