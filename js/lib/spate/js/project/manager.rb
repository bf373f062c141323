# frozen_string_literal: true

module Spate
  module JS
    class Project
      # The package manager that a package.json names: `packageManager` (corepack's) before `devEngines`.
      #
      # name:: "npm", "pnpm", "yarn", "bun" ...
      # version:: an exact one or a range, nil where it is not said
      # exact:: whether it is `packageManager`'s
      Manager = Struct.new(:name, :version, :exact) do
        # Manager or nil. folder: of the package.json.
        def self.of(folder) = self.in(Project.read(File.join(folder, PACKAGE)))

        def self.in(package)
          name, version = package["packageManager"].to_s.match(/\A([a-z]+)@(\d[^+\s]*)(?:\+\S+)?\z/)&.captures
          return new(name, version, true) if name

          engines = package["devEngines"]
          named = engines["packageManager"] if engines.is_a?(Hash)
          [named].flatten.filter_map { |each| from(each) }.first
        end

        def self.from(each)
          return unless each.is_a?(Hash) && each["name"].is_a?(String) && each["name"].match?(/\A[a-z]+\z/)

          new(each["name"], (each["version"] if each["version"].is_a?(String)), false)
        end
        private_class_method :from

        # Whether it is a yarn after version 1.
        def berry? = name == "yarn" && version.to_s[/\d+/].to_i > 1
        def to_s = [name, version].compact.join("@")
      end

      # Which version of a project's tool would run, by what files say: pnpm starts the one that package.json names in
      # its own place, npm stays what it is.
      module Version
        NUMBER = /"version":\s*"(\d[^"]*)"/

        module_function

        # "10.4.1", or nil if unknown.
        def of(project, env)
          manager = project.manager if project.tool == "pnpm"
          return manager.version if manager&.name == "pnpm" && manager.version.to_s.match?(/\A\d/)

          installed(project.tool, env)
        end

        # That of the tool on PATH, or nil.
        def installed(tool, env)
          path = file(tool, env)
          path && Configuration::Level.text(path)[NUMBER, 1]
        end

        # The package.json beside the tool on PATH, absolute, or nil: a program may be anything, corepack's for one.
        def file(tool, env)
          program = Configuration::NpmFolder.which(tool, env) or return
          own = %r{"name":\s*"(?:@#{tool}(?:pkg)?/[\w.-]+|#{tool})"}
          folder = File.dirname(File.realpath(program))
          [folder, File.dirname(folder)].map { |place| File.join(place, PACKAGE) }
                                        .find { |path| Configuration::Level.text(path).to_s.match?(own) }
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
