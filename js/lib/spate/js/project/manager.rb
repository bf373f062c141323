# frozen_string_literal: true

module Spate
  module JS
    class Project
      # The package manager that a package.json names: `packageManager` (corepack's) before `devEngines`.
      #
      # name:: "npm", "pnpm", "yarn", "bun" ...
      # version:: an exact version or a range; nil if not given
      # exact:: whether it comes from `packageManager`
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

        # Whether it is a yarn newer than version 1.
        def berry? = name == "yarn" && version.to_s[/\d+/].to_i > 1
        def to_s = [name, version].compact.join("@")
      end

      # The version of a project's tool that would run, according to files: pnpm starts the version that package.json
      # names, npm does not.
      module Version
        NUMBER = /"version":\s*"(\d[^"]*)"/

        module_function

        # "10.4.1", or nil if unknown.
        def of(project, env)
          manager = project.manager if project.tool == "pnpm"
          return manager.version if manager&.name == "pnpm" && manager.version.to_s.match?(/\A\d/)

          installed(project.tool, env)
        end

        # The version of the tool on PATH, or nil.
        def installed(tool, env)
          path = file(tool, env)
          path && Configuration::Level.text(path)[NUMBER, 1]
        end

        # The absolute path of the package.json beside the tool on PATH; nil if the program is something else, such as
        # corepack.
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
