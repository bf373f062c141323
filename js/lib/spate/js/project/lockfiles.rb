# frozen_string_literal: true

module Spate
  module JS
    class Project
      # Chooses the lockfile of a folder, and the tool that wrote it.
      class Lockfiles
        # By name; if one tool has two, the first is used, as by that tool.
        TOOLS = { "npm-shrinkwrap.json" => "npm", "package-lock.json" => "npm", "pnpm-lock.yaml" => "pnpm",
                  "yarn.lock" => "yarn", "bun.lock" => "bun", "bun.lockb" => "bun" }.freeze
        # Deno keeps one for single scripts, too, beside another tool's: it is used only if it is the only one.
        DENO = "deno.lock"
        DENO_CONFIGS = %w[deno.json deno.jsonc package.json].freeze
        # Bytes of a yarn.lock that identify its version.
        HEAD = 4096

        Lockfile = Struct.new(:path, :tool)

        # Lockfile, or nil. Raises SeveralLockfiles if package.json does not decide.
        def self.in(folder) = new(folder).one

        # The tool that owns a lockfile of this name.
        def self.tool(name) = TOOLS.fetch(name)

        def initialize(folder)
          @folder = folder
        end

        def one
          found = TOOLS.keys.select { |name| file?(name) }
          return deno if found.empty?
          return unless file?(PACKAGE)

          tools = found.map { |name| TOOLS[name] }.uniq
          tool = tools.size == 1 ? tools.first : named(tools, found)
          name = found.find { |each| TOOLS[each] == tool }
          Lockfile.new(path(name), tool == "yarn" ? yarn : tool)
        end

        private

        def path(name) = File.join(@folder, name)
        def file?(name) = Reading.file?(path(name))
        def deno = (Lockfile.new(path(DENO), "deno") if file?(DENO) && DENO_CONFIGS.any? { |name| file?(name) })

        # The tool that package.json names, if there are several.
        def named(tools, found)
          manager = Manager.of(@folder)
          return manager.name if manager && tools.include?(manager.name)

          raise SeveralLockfiles.new(@folder, found, manager)
        end

        # Version 1 signs its lockfile; later ones keep their own version in it. An empty one is of a new project.
        def yarn
          head = File.binread(path("yarn.lock"), HEAD).to_s
          return "berry" if head.match?(/^__metadata:/)
          return "yarn" if head.include?("# yarn lockfile v1")

          file?(".yarnrc.yml") || Manager.of(@folder)&.berry? ? "berry" : "yarn"
        end
      end
    end
  end
end
