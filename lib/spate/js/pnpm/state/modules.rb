# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class State
        # .modules.yaml, which is JSON: layout, what is hoisted, whose scripts wait.
        class Modules
          LAYOUT_VERSION = 5

          def self.of(planning)
            settings = planning.settings
            new("#{settings["modulesDir"]}/.modules.yaml", settings.major, values(planning, settings),
                settings.allowed_builds, planning.scripts?)
          end

          def self.values(planning, settings)
            layout = planning.layout
            store = Layout.relative(settings["modulesDir"], layout.shared || layout.folder, layout.root)
            { "hoistedDependencies" => hoisted(planning), "hoistPattern" => settings.hoist_pattern,
              "included" => Lockfile::GROUPS.to_h { |group| [group, planning.groups.include?(group)] }
                                            .slice("dependencies", "devDependencies", "optionalDependencies"),
              "layoutVersion" => LAYOUT_VERSION, "nodeLinker" => "isolated",
              "packageManager" => "pnpm@#{settings.version || "#{Settings::NEWEST}.0.0"}",
              "pendingBuilds" => (planning.scripts? ? [] : waiting(planning)),
              "publicHoistPattern" => settings.public_hoist_pattern, "skipped" => planning.selection.unfit,
              "storeDir" => settings.store_dir(planning.root), "virtualStoreDir" => store,
              "virtualStoreDirMaxLength" => settings["virtualStoreDirMaxLength"] }
          end

          # { key => { alias => kind } }, in the order in which they were found.
          def self.hoisted(planning)
            planning.links.hoisting.each_with_object({}) do |each, all|
              next unless each.snapshot || planning.settings.major >= 12 || planning.settings.before?(10, 13)

              (all[each.snapshot&.key || each.folder] ||= {})[each.name] = each.kind
            end
          end

          # Ids of the projects that have scripts of their own for an installation.
          def self.waiting(planning)
            names = OWN_SCRIPTS[planning.settings.major <= 11 ? 11 : 12]
            planning.workspace.manifests.slice(*planning.lockfile.importers.keys).filter_map do |id, manifest|
              id if manifest["scripts"].is_a?(Hash) && manifest["scripts"].values_at(*names).any?
            end
          end
          private_class_method :values, :hoisted, :waiting

          # pnpm's major version, the last that knew them => scripts of a project.
          OWN_SCRIPTS = { 11 => %w[preinstall prepublish install postinstall prepare],
                          12 => %w[preinstall install postinstall preprepare prepare postprepare] }.freeze
          ORDER = %w[hoistedDependencies hoistPattern included injectedDeps layoutVersion nodeLinker packageManager
                     pendingBuilds ignoredBuilds prunedAt publicHoistPattern skipped storeDir virtualStoreDir
                     virtualStoreDirMaxLength allowBuilds].freeze
          # pnpm 10 and older.
          OLD_ORDER = %w[hoistedDependencies hoistPattern included injectedDeps ignoredBuilds layoutVersion nodeLinker
                         packageManager pendingBuilds publicHoistPattern prunedAt registries skipped storeDir
                         virtualStoreDir virtualStoreDirMaxLength].freeze

          attr_reader :path

          # values: what the plan knows. allowed: { package => whether its scripts may run }. scripts: whether any may.
          def initialize(path, major, values, allowed, scripts)
            @path = path
            @major = major
            @values = values
            @allowed = allowed
            @scripts = scripts
          end

          def text(outcome)
            all = @values.merge(builds(outcome), "prunedAt" => date(outcome.now))
            all["hoistedDependencies"] = all["hoistedDependencies"].except(*outcome.skipped)
            all["injectedDeps"] = {} if @major <= 11
            all["allowBuilds"] = @allowed.sort.to_h if @major > 10
            State.json((@major <= 10 ? OLD_ORDER : ORDER).to_h { |key| [key, all[key]] }.compact)
          end

          private

          # Without scripts all wait; with them those that nobody decided on are told. Up to pnpm 11 what waits is named
          # with its peers, and what a list denies waits, too.
          def builds(outcome)
            packages = outcome.pending.map { |key| DepPath.package(key) }.uniq.sort
            unless @scripts
              waiting = @major <= 11 ? (outcome.pending + outcome.denied).sort : packages
              return { "pendingBuilds" => @values["pendingBuilds"] + waiting }
            end

            open = packages.reject { |key| @allowed.key?(DepPath.split(key).first) }
            { "ignoredBuilds" => (open unless open.empty?) }
          end

          # As HTTP has it.
          def date(time) = time.getutc.strftime("%a, %d %b %Y %H:%M:%S GMT")
        end
      end
    end
  end
end
