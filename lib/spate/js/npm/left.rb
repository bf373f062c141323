# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # What makes another tree of a lockfile, in a way that only npm itself can follow.
      module Left
        # Settings => what it is.
        SETTINGS = { "install-strategy" => { "linked" => "install-strategy = linked" },
                     "install-links" => { true => "install-links" },
                     "workspaces" => { false => "workspaces = false" } }.freeze
        # What changes packages: of package.json, and files. Before its twelfth npm knows none of it.
        FIELDS = %w[packageExtensions patchedDependencies].freeze
        FILES = %w[.npm-extension.mjs .npm-extension.cjs].freeze

        module_function

        # Raises LeftToTool. project: Npm::Project.
        def check(project, configuration, machine)
          found = settings(configuration)
          found += changes(project) unless machine.old?
          raise LeftToTool, found unless found.empty?
        end

        def settings(configuration)
          found = SETTINGS.filter_map { |key, values| values[configuration[key]] }
          workspace = configuration["workspace"]
          Array(workspace).empty? ? found : [*found, "workspace = #{workspace}"]
        end

        def changes(project)
          FIELDS.reject { |field| [nil, {}].include?(project.manifest[field]) } +
            FILES.select { |name| Reading.file?(File.join(project.root, name)) }
        end
      end
    end
  end
end
