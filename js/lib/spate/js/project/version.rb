# frozen_string_literal: true

module Spate
  module JS
    class Project
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
