# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # Settings, fields and files that make another tree of a lockfile or refuse it, in a way that only npm can follow.
      module Left
        # Features that change packages: fields of package.json, and files. npm supports them from version 12.
        FIELDS = %w[packageExtensions patchedDependencies].freeze
        FILES = %w[.npm-extension.mjs .npm-extension.cjs].freeze

        module_function

        # Raises LeftToTool. project: Npm::Project. settings: Tools::KnownSettings::Npm.
        def check(project, settings, machine)
          found = settings.reasons
          found += changes(project) unless machine.old?
          raise LeftToTool, found unless found.empty?
        end

        # Raises LeftToTool if npm would ask the registry for a version's age. places: those to fetch.
        def check_ages(places, settings)
          found = settings.ages
          return if found.empty?

          place = places.find { |each| each.entry["resolved"].nil? } or return
          raise LeftToTool, ["#{found.join(", ")}, and the lockfile has no address for #{place.path}"]
        end

        def changes(project)
          FIELDS.reject { |field| [nil, {}].include?(project.manifest[field]) } +
            FILES.select { |name| Reading.file?(File.join(project.root, name)) }
        end
      end
    end
  end
end
