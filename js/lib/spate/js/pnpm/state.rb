# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # pnpm's state files in node_modules. Plain data, so that a plan can be stored; the outcome is added at the end of
      # a restore.
      class State
        autoload :Modules, "spate/js/pnpm/state/modules"
        autoload :PackageMap, "spate/js/pnpm/state/modules"
        autoload :WorkspaceState, "spate/js/pnpm/state/workspace_state"

        # JSON in the format of JavaScript: an empty list or object is on one line.
        def self.json(value)
          require "json"
          JSON.pretty_generate(value).gsub(/([\[{])\n\s*([\]}])/, "\\1\\2")
        end

        # planning: Planning.
        def self.of(planning)
          lockfile = CurrentLockfile.new(planning.lockfile, planning.selection, planning.settings.major).text
          # pnpm before 12 writes none if no package is selected.
          new((Modules.of(planning) if lockfile || planning.settings.major > 11), WorkspaceState.of(planning),
              planning.layout.folder, lockfile, PackageMap.of(planning), taken(planning))
        end

        # { key => path } of packages that pnpm 11 and later remove when their scripts fail.
        def self.taken(planning)
          return {} if planning.settings.major < 11 || planning.layout.shared

          optional = planning.selection.installed.select { |_, each| each.optional }
          optional.transform_values { |each| planning.layout.path(each) }
        end
        private_class_method :taken

        def initialize(modules, workspace, virtual_store, lockfile, package_map, taken)
          @taken = taken
          @modules = modules
          @workspace = workspace
          @virtual_store = virtual_store
          @lockfile = lockfile
          @package_map = package_map
        end

        # Paths that are written after the projects' own scripts have run.
        def last = [@workspace&.path].compact

        # See Plan#goes_with.
        def goes_with(keys) = @taken.values_at(*keys).compact

        # The state for an Image. _outcome: Outcome.
        def again(_outcome) = dup.tap { |copy| copy.instance_variable_set(:@taken, {}) }

        # { path relative to the root => content }. outcome: Outcome.
        def files(outcome)
          found = {}
          found["#{@virtual_store}/lock.yaml"] = @lockfile if @lockfile
          found[@modules.path] = @modules.text(outcome) if @modules
          found[@package_map.path] = @package_map.text if @package_map
          found[@workspace.path] = @workspace.text(outcome) if @workspace
          found
        end

        # The path of pnpm's own store, which is on the project's file system.
        class StoreFolder
          VERSIONS = { 8 => "v3", 9 => "v3", 10 => "v10" }.freeze

          # given: the setting storeDir, or nil. major: of pnpm.
          def initialize(given, major, env)
            @given = given
            @major = major
            @own = own(env) unless given
          end

          # root: the project's folder.
          def path(root) = "#{@given ? given(root) : near(root)}/#{VERSIONS.fetch(@major, "v11")}"
          # The path without "." and "..".
          def clean_path(root) = File.expand_path(path(root))

          private

          def given(root)
            return @given if @given.start_with?("/")
            return "#{Configuration.home({})}/#{@given.delete_prefix("~/")}" if @given.start_with?("~/")

            @major <= 10 ? File.expand_path(@given, root) : "#{root}/#{@given}"
          end

          def own(env)
            base = [env["PNPM_HOME"], env["XDG_DATA_HOME"]&.then { |each| "#{each}/pnpm" unless each.empty? }]
            base = base.find { |each| !each.to_s.empty? }
            return "#{base}/store" if base

            "#{Configuration.home(env)}/#{RUBY_PLATFORM.include?("darwin") ? "Library" : ".local/share"}/pnpm/store"
          end

          def near(root) = near?(@own, root) ? @own : "#{mount_point(root)}/.pnpm-store".sub("//", "/")

          # Whether a folder, existing or not, would be on the project's file system.
          def near?(path, root)
            path = File.dirname(path) until File.exist?(path)
            device(path) == device(root)
          end

          def mount_point(root)
            path = root
            path = File.dirname(path) until path == "/" || device(File.dirname(path)) != device(root)
            path
          end

          def device(path) = File.stat(path).dev
        end

        # The lockfile's text without entries that are not installed. The remaining text is unchanged.
        class CurrentLockfile
          # A patch's entry up to pnpm 10: { hash: ..., path: ... }.
          OLD_PATCH = /^(  \S.*):\n    hash: (\S+)\n    path: .*\n/

          # lockfile: Lockfile. selection: Selection. major: pnpm's major version. pnpm 11 and older list importers of
          # missing projects; pnpm 11 and newer write patches as digests.
          def initialize(lockfile, selection, major)
            @lockfile = lockfile
            @shortens = major > 10 && lockfile.patches.each_value.any?(Hash)
            @dropped = major < 12 ? {} : lockfile.absent
            @empty = lockfile.importers.each_value.all? { |importer| selection.wanted(importer).empty? }
            @kept = selection.kept
            @groups = selection.groups
          end

          # nil if nothing is installed.
          def text
            return if @empty
            return @lockfile.text if whole?

            @packages = @kept.each_key.to_h { |key| [DepPath.package(key), true] }
            @lockfile.text.split(/^(?=[a-zA-Z])/).map { |section| filtered(section) }.join
          end

          private

          def whole?
            @kept.size == @lockfile.snapshots.size && @groups == Lockfile::GROUPS && @dropped.empty? && !@shortens
          end

          def filtered(section)
            case section[/\A\w+/]
            when "packages" then entries(section) { |key| @packages.key?(key) }
            when "snapshots" then entries(section) { |key| @kept.key?(key) }
            when "importers" then importers(section)
            when "patchedDependencies" then @shortens ? section.gsub(OLD_PATCH, "\\1: \\2\n") : section
            else section
            end
          end

          def entries(section)
            head, *entries = section.split(/^(?=  \S)/)
            kept = entries.select { |entry| yield key(entry) }
            kept[-1] = kept[-1].sub(/\n*\z/, "\n") + trailing(section) unless kept.empty?
            [head, *kept].join
          end

          # Empty lines between this section and the next.
          def trailing(section) = "\n" * (section[/\n*\z/].size - 1)

          # The key of an entry such as "  '@a/b@1.0.0':\n" or "  a@1.0.0: {}\n".
          def key(entry)
            line = entry[/\A  (.*?)(?::| \{\}| \|-)*$/, 1]
            line.start_with?("'") ? line[1..].sub(/'.*\z/m, "") : line.sub(/:(?: .*)?\z/, "")
          end

          def importers(section)
            head, *entries = section.split(/^(?=  \S)/)
            kept = entries.reject { |entry| @dropped.key?(key(entry)) }
            kept[-1] = kept[-1].sub(/\n*\z/, "\n") + trailing(section) unless kept.empty?
            [head, *kept.map { |entry| importer(entry) }].join
          end

          def importer(entry)
            left_out = Lockfile::GROUPS - @groups
            parts = entry.split(/^(?=    \w)/)
            kept = parts.reject { |part| left_out.include?(part[/\A    (\w+):/, 1]) }
            kept[0] = kept[0].sub(/:\s*\z/, ": {}\n") if kept.size == 1 && parts.size > 1
            kept.join.sub(/\n*\z/, "\n" * entry[/\n*\z/].size)
          end
        end
      end
    end
  end
end
