# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class State
        # .modules.yaml, which is JSON: the layout, hoisted packages, packages whose scripts are pending.
        class Modules
          LAYOUT_VERSION = 5

          def self.of(planning)
            settings = planning.settings
            new("#{settings["modulesDir"]}/.modules.yaml", settings, values(planning, settings),
                (planning.selection.order if settings.major < 12), patched(planning))
          end

          # Whether a package is patched; nil if the project has no patches.
          def self.patched(planning)
            return if planning.workspace.patch_files.empty?

            planning.workspace.patches.any? { |key, _| planning.selection.installed.key?(key) }
          end

          def self.values(planning, settings)
            layout = planning.layout
            store = Layout.relative(settings["modulesDir"], layout.shared || layout.folder, layout.root)
            { "registries" => (settings.registries if settings.major <= 10), "hoistedDependencies" => hoisted(planning),
              "hoistPattern" => settings.hoist_pattern,
              "included" => Lockfile::GROUPS.to_h { |group| [group, planning.groups.include?(group)] }
                                            .slice("dependencies", "devDependencies", "optionalDependencies"),
              "layoutVersion" => LAYOUT_VERSION, "nodeLinker" => "isolated",
              "packageManager" => "pnpm@#{settings.version || "#{Settings::NEWEST}.0.0"}",
              "pendingBuilds" => (waiting(planning) if settings.major < 12),
              "publicHoistPattern" => settings.public_hoist_pattern, "skipped" => planning.selection.unfit,
              "storeDir" => settings.store_folder, "virtualStoreDir" => store,
              "virtualStoreDirMaxLength" => settings["virtualStoreDirMaxLength"] }
          end

          # { key => { alias => kind } } in the order in which they were hoisted.
          def self.hoisted(planning)
            settings = planning.settings
            projects = settings.major >= 12 || settings.before?(*Links::Hoisting::OLD)
            planning.links.hoisting.each_with_object({}) do |each, all|
              next unless each.snapshot || projects

              (all[each.snapshot&.key || each.folder] ||= {})[each.name] = each.kind
            end
          end

          # Ids of the projects with install scripts, as pnpm recorded them up to version 11.
          def self.waiting(planning)
            planning.workspace.manifests.slice(*planning.lockfile.importers.keys).filter_map do |id, manifest|
              id if manifest["scripts"].is_a?(Hash) && manifest["scripts"].values_at(*OWN_SCRIPTS).any?
            end
          end
          private_class_method :patched, :values, :hoisted, :waiting

          OWN_SCRIPTS = %w[preinstall prepublish install postinstall prepare].freeze
          ORDER = %w[hoistedDependencies hoistPattern included injectedDeps layoutVersion nodeLinker packageManager
                     pendingBuilds ignoredBuilds prunedAt publicHoistPattern skipped storeDir virtualStoreDir
                     virtualStoreDirMaxLength allowBuilds].freeze
          # The order up to pnpm 10.
          OLD_ORDER = %w[hoistedDependencies hoistPattern included injectedDeps ignoredBuilds layoutVersion nodeLinker
                         packageManager pendingBuilds publicHoistPattern prunedAt registries skipped storeDir
                         virtualStoreDir virtualStoreDirMaxLength].freeze

          attr_reader :path

          # values: the values that the plan determines. order: [key] in the order in which pnpm visits packages; nil if
          # pnpm sorts them. patched: whether an installed package is patched; nil if the project has no patches.
          def initialize(path, settings, values, order, patched)
            @path = path
            @major = settings.major
            @named = settings.before?(10, 25)
            @values = values
            @allowed = settings.allowed_builds
            @order = order
            @patched = patched
          end

          def text(outcome)
            all = @values.merge(builds(outcome), "prunedAt" => date(outcome.now))
            all["storeDir"] = all["storeDir"].path(outcome.root)
            all["hoistedDependencies"] = all["hoistedDependencies"].except(*outcome.skipped)
            all["injectedDeps"] = {} if @major < 12
            all["allowBuilds"] = @allowed.sort.to_h if @major >= 12 || (@major == 11 && @allowed.any?)
            State.json((@major <= 10 ? OLD_ORDER : ORDER).to_h { |key| [key, all[key]] }.compact)
          end

          private

          # With scripts disabled all builds are pending; otherwise builds that no list allows or denies are ignored
          # builds. Up to pnpm 11 keys include peers (before 10.25 not the version), and denied packages are included.
          # The list exists, perhaps empty, if something builds or is patched; with scripts disabled only if there are
          # patches.
          def builds(outcome)
            built = [] if @major.between?(10, 11) && (@patched || outcome.asking.any?)
            if outcome.deferred
              return { "pendingBuilds" => deferred(outcome.deferred), "ignoredBuilds" => (built unless @patched.nil?) }
            end

            keys = @major < 12 ? outcome.pending : outcome.pending.map { |key| DepPath.package(key) }.uniq
            open = keys.sort.reject { |key| @allowed.key?(name(key)) }
            open = open.map { |key| name(key) }.uniq if @named
            { "pendingBuilds" => [], "ignoredBuilds" => open.empty? || @major < 10 ? built : open }
          end

          def name(key) = DepPath.split(DepPath.package(key)).first

          def deferred((folders, keys))
            @order ? @values["pendingBuilds"] + (@order & keys) : folders + keys.sort
          end

          # The time in the format of HTTP.
          def date(time) = time.getutc.strftime("%a, %d %b %Y %H:%M:%S GMT")
        end

        # .package-map.json, which node reads if configured to: each package's folder and the packages it can require.
        # Written by pnpm from 11.8 until 12.
        class PackageMap
          # nil for a pnpm that does not write it.
          def self.of(planning)
            settings = planning.settings
            return if settings.before?(11, 8) || settings.major > 11 || planning.layout.shared

            new("#{settings["modulesDir"]}/.package-map.json", Entries.new(planning).all)
          end

          attr_reader :path

          def initialize(path, packages)
            @path = path
            @packages = packages
          end

          def text
            require "json"
            "#{JSON.generate("packages" => @packages)}\n"
          end

          # { project's id or package's key => { "url" => its folder, "dependencies" => { alias => id or key } } }
          class Entries
            def initialize(planning)
              @root = planning.root
              @modules = planning.settings["modulesDir"]
              @lockfile = planning.lockfile
              @manifests = planning.workspace.manifests
              @selection = planning.selection
              @layout = planning.layout
            end

            def all
              @all = {}
              @lockfile.importers.merge(@lockfile.absent).each { |id, importer| add(id, id, project(id, importer)) }
              @selection.kept.each { |key, each| add(key, @layout.path(each), package(each)) }
              @all.sort.to_h
            end

            private

            def add(id, folder, dependencies)
              @all[id] = { "url" => url(folder), "dependencies" => dependencies.compact.sort.to_h }
            end

            # Relative to node_modules.
            def url(folder)
              found = Layout.relative(@modules, folder, @root)
              found.match?(%r{\A\.\.(?:/|\z)}) ? found : "./#{found}"
            end

            def project(id, importer)
              own = @manifests.dig(id, "name")
              found = @selection.wanted(importer).to_h do |name, version|
                link = version.start_with?("link:")
                [name, link ? linked(id, version) : kept(@lockfile.direct(name, version)&.key)]
              end
              own ? { own => id }.merge(found.compact) : found
            end

            def package(snapshot)
              found = snapshot.needs.merge(snapshot.wants).transform_values { |key| kept(key) }
              found = found.merge(snapshot.links.transform_values { |target| linked(".", "link:#{target}") })
              { snapshot.name => snapshot.key }.merge(found.compact)
            end

            # Includes packages that this machine cannot install.
            def kept(key) = (key if @selection.kept.key?(key))

            # A folder outside the workspace's projects is a package without dependencies.
            def linked(id, version)
              folder = File.expand_path(version.delete_prefix("link:"), File.join(@root, id))
              inside = folder == @root ? "." : folder.delete_prefix("#{@root}/")
              name = inside == folder ? "link:#{folder}" : inside
              @all[name] ||= { "url" => url(folder), "dependencies" => {} }
              name
            end
          end
        end
      end
    end
  end
end
