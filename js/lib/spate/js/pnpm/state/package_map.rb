# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class State
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
