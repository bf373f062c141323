# frozen_string_literal: true

module Spate
  module JS
    # The JavaScript packages of an application: the location of the lockfile, and the tool that owns it.
    #
    # folder:: the application's folder, absolute
    # root:: the folder of the lockfile: the application's folder or its workspace's folder
    # tool:: "npm", "pnpm", "yarn" (version 1), "berry", "bun" or "deno"
    # lockfile:: absolute
    Project = Struct.new(:folder, :root, :tool, :lockfile)

    class Project
      PACKAGE = "package.json"
      BOM = "\uFEFF"
      # For each tool, the file of a workspace in a parent folder that may replace a folder's own lockfile.
      ABOVE = { "npm" => PACKAGE, "pnpm" => "pnpm-workspace.yaml" }.freeze

      %i[Braces Trust Workspace].each { |name| autoload name, "spate/js/project/workspace" }

      # The Project of a folder; nil if it has no package.json. Loads no more code if there is exactly one lockfile and
      # no workspace can be in a parent folder. Raises LockfileError. from: the user's folder, if it is below this one.
      # Files of other users in parent folders are ignored.
      def self.find(folder, env = ENV, from: folder)
        folder, from = [folder, from].map { |path| File.expand_path(path) }
        return if folder != from && Trust.new(from).culprit(folder)

        lockfile = Lockfiles.in(folder)
        return owned(folder, lockfile, env) if lockfile
        return unless File.file?(File.join(folder, PACKAGE))

        root = Workspace.root(folder)
        lockfile = root && Lockfiles.in(root) or raise NoLockfile.new(folder, Manager.of(folder))
        new(folder, root, lockfile.tool, lockfile.path)
      end

      # The Project of a lockfile's folder. Does not check parent folders.
      def self.at(root, env = ENV)
        lockfile = Lockfiles.in(root) or return find(root, env)
        new(root, root, lockfile.tool, lockfile.path)
      end

      # The Project of a folder with a lockfile: the folder's own, or the workspace in a parent folder that its tool
      # uses instead.
      def self.owned(folder, lockfile, env)
        root = Workspace.owner(folder, lockfile.tool, env) if above?(folder, ABOVE[lockfile.tool])
        return new(folder, folder, lockfile.tool, lockfile.path) unless root

        found = Lockfiles.in(root)
        raise UnusedLockfile.new(lockfile, root) unless found&.tool == lockfile.tool

        new(folder, root, found.tool, found.path)
      end

      def self.above?(folder, name)
        until name.nil? || folder == (parent = File.dirname(folder))
          folder = parent
          return true if File.file?(File.join(folder, name))
        end
        false
      end
      private_class_method :owned, :above?

      # The lockfile of a workspace member that its tool does not use (absolute), or nil. Raises SeveralLockfiles.
      def unused_lockfile = (Lockfiles.in(folder)&.path unless folder == root)
      # The root's package.json, {} if it is missing. Raises LockfileError.
      def package_json = @package_json ||= Project.read(File.join(root, PACKAGE))
      # The Manager named by package.json, or nil.
      def manager = @manager ||= Manager.in(package_json)
      # The version of the tool that would run; nil if unknown.
      def version(env) = Version.of(self, env)
      # The tool's usual name.
      def tool_name = tool == "berry" ? "yarn" : tool

      # A package.json as a Hash; {} if it is missing. Leaves out "pnpm" if it is not a Hash. Raises LockfileError.
      def self.read(path)
        require "json"
        text = Reading.text(path)
        found = JSON.parse(text.delete_prefix(BOM), max_nesting: 100)
        raise LockfileError, "#{path}: expected an object, found #{Reading.kind(found)}" unless found.is_a?(Hash)

        found["pnpm"].is_a?(Hash) ? found : found.except("pnpm")
      rescue Errno::ENOENT
        {}
      rescue JSON::ParserError, EncodingError, ArgumentError => e
        raise Reading::Fault.error(path, text, e)
      end

      # Chooses the lockfile of a folder, and the tool that wrote it.
      class Lockfiles
        # { file name => tool }. If a folder has two lockfiles of one tool, the first is used, as the tool itself does.
        TOOLS = { "npm-shrinkwrap.json" => "npm", "package-lock.json" => "npm", "pnpm-lock.yaml" => "pnpm",
                  "yarn.lock" => "yarn", "bun.lock" => "bun", "bun.lockb" => "bun" }.freeze
        # Deno also writes this file for single scripts beside another tool's lockfile, so it is used only if it is the
        # only lockfile.
        DENO = "deno.lock"
        DENO_CONFIGS = %w[deno.json deno.jsonc package.json].freeze
        # Number of bytes at the beginning of a yarn.lock that are searched for its version.
        HEAD = 4096

        Lockfile = Struct.new(:path, :tool)

        # Returns a Lockfile or nil. Raises SeveralLockfiles if package.json names none of the tools.
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

        # The tool that package.json names, if there are lockfiles of several tools.
        def named(tools, found)
          manager = Manager.of(@folder)
          return manager.name if manager && tools.include?(manager.name)

          raise SeveralLockfiles.new(@folder, found, manager)
        end

        # yarn 1 writes a comment with its name into its lockfile, later versions write metadata. An empty lockfile
        # belongs to a new project.
        def yarn
          head = File.binread(path("yarn.lock"), HEAD).to_s
          return "berry" if head.match?(/^__metadata:/)
          return "yarn" if head.include?("# yarn lockfile v1")

          file?(".yarnrc.yml") || Manager.of(@folder)&.berry? ? "berry" : "yarn"
        end
      end

      # The package manager that a package.json names. `packageManager` (corepack's field) has precedence over
      # `devEngines`.
      #
      # name:: "npm", "pnpm", "yarn", "bun" ...
      # version:: an exact version or a range; nil if not given
      # exact:: whether it comes from `packageManager`
      Manager = Struct.new(:name, :version, :exact) do
        # Returns a Manager or nil. folder: of the package.json.
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

        # Whether this is a yarn newer than version 1.
        def berry? = name == "yarn" && version.to_s[/\d+/].to_i > 1
        def to_s = [name, version].compact.join("@")
      end

      # The version of a project's tool that would run, determined from files. pnpm starts the version that package.json
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
