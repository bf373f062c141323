# frozen_string_literal: true

module Spate
  module JS
    module Restore
      class Check
        # Changes that scripts made in packages, if the store has the results of these scripts: see Scripts::Build.
        class Built
          PACKAGE = "package.json"

          # builds: { path of a tree => key of the stored result of its scripts' last run }
          def initialize(store, builds)
            @known = builds.transform_values { |key| store.build(key) }.compact
            kept = @known.values
            records = kept.map { |manifest| ::Spate::Build::Cache::Record.parse(manifest.facts) }
            @made = kept.flat_map(&:paths).to_h { |path| [path, true] }
            @removed = records.flat_map(&:removed).to_h { |path| [path, true] }
          end

          # Whether the store has a record of what the scripts of a tree changed.
          def known?(tree) = @known.key?(tree.path)

          # Whether a script may have made this change to a path of a tree. Without a record any change is possible,
          # except that the package.json is missing: it is only removed if a script failed.
          def by_script?(tree, path, kind)
            return kind != :missing || path != "#{tree.path}/#{PACKAGE}" unless known?(tree)

            @made[path] || removed?(path)
          end

          private

          def removed?(path)
            return false if path == "."

            @removed[path] || removed?(File.dirname(path))
          end
        end

        # Unexpected files in a package's folder. Place::Strays handles its node_modules.
        class Extra
          def initialize(folder, paths)
            @folder = folder
            @files = paths.to_h { |path| [path, true] }
            @folders = {}
            paths.each { |path| note(File.dirname(path)) }
          end

          # Paths below the folder.
          def call(within = nil)
            Dir.children([@folder, *within].join("/")).sort.flat_map do |name|
              next [] if within.nil? && name == Place::Folders::MODULES

              path = [*within, name].join("/")
              next @files[path] ? [] : [path] unless @folders[path]

              folder?(path) ? call(path) : [] # other types are reported elsewhere
            end
          rescue SystemCallError
            []
          end

          private

          def note(folder)
            until folder == "." || @folders[folder]
              @folders[folder] = true
              folder = File.dirname(folder)
            end
          end

          def folder?(path) = !!Store::Object.lstat("#{@folder}/#{path}")&.directory?
        end

        # Finds packages whose scripts npm or pnpm may have run: the tool has written its state files since the last
        # restore, or there was no restore. npm before 12 and pnpm before 10 run all scripts that no list denies.
        class ToolScripts
          LISTS_SINCE = { "npm" => 12, "pnpm" => 10 }.freeze

          def initialize(context, plan)
            @context = context
            @plan = plan
          end

          # Whether the tool was the last to change node_modules.
          def any? = !Memory::Record.load(@context.store, @plan.root)&.state?

          # Paths of their trees. facts: { path => Facts }
          def paths(facts)
            configuration = @context.configuration
            return [] if !any? || Scripts::Policy.of(@plan, configuration).silent?

            asking = Scripts.asking(@plan, facts, configuration)
            asking.select { |each| each.allowed.nil? ? runs_without_list? : each.allowed }.map(&:path)
          end

          private

          def runs_without_list? = @plan.major < LISTS_SINCE.fetch(@plan.tool)
        end
      end
    end
  end
end
