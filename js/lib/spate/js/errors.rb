# frozen_string_literal: true

module Spate
  module JS
    # A lockfile is unreadable or invalid.
    class LockfileError < Error
      EXIT_CODE = 3
    end

    # Lockfile and package.json disagree.
    class DisagreementError < Error
      EXIT_CODE = 4
    end

    # A package's name would lead outside of its folder when used as a path.
    class UnsafeNameError < LockfileError
      # whose: the file or package that contains the name, for the message.
      def initialize(name, whose)
        super("#{whose}: invalid package name #{name.inspect}: expected `name` or `@scope/name`",
              hint: "the lockfile may have been edited: compare it with its last commit")
      end
    end

    # A path leads out of the project.
    class UnsafePathError < LockfileError
      def initialize(path, whose)
        super("#{whose}: #{path.inspect} leads out of its folder",
              hint: "the lockfile may have been edited: compare it with its last commit")
      end
    end

    # A package.json cannot be read. If it is in an archive, the archive is unusable.
    class PackageFileError < Error
      EXIT_CODE = 8

      # whose: the package, for the message; what: the parser's message.
      def initialize(whose, what)
        super("#{whose}: its package.json cannot be read: #{what}",
              hint: "the package is damaged, and npm rejects it too: use another version")
      end
    end

    # A command names a package that the project does not have.
    class UnknownPackage < Error
      EXIT_CODE = 14

      # names: names of the project's packages.
      def initialize(name, names)
        near = names.find { |other| other.start_with?(name) } || Util::Suggestion.near(name, names.uniq)
        super("the project has no package #{name.inspect}",
              hint: near ? "did you mean #{near}?" : "use names of packages, separated by commas, or all")
      end
    end

    # A package.json without a lockfile: the result of restoring it would be unpredictable.
    class NoLockfile < LockfileError
      MAKE = { "npm" => "npm install --package-lock-only", "pnpm" => "pnpm install --lockfile-only",
               "yarn" => "yarn install", "bun" => "bun install --lockfile-only", "deno" => "deno install" }.freeze

      # manager: Project::Manager named by package.json, or nil.
      def initialize(folder, manager)
        make = MAKE[manager&.name] || "with the tool of your choice, as #{MAKE["npm"]}"
        super("#{folder} has a package.json and no lockfile", hint: "create one and commit it: #{make}")
      end
    end

    # A lockfile is not used by its tool, because a workspace in a parent folder takes precedence. The workspace has no
    # lockfile.
    class UnusedLockfile < LockfileError
      OWN = { "npm" => "remove this folder from `workspaces`",
              "pnpm" => "make this folder its own workspace: a pnpm-workspace.yaml with `packages: [\".\"]`" }.freeze

      # lockfile: Project::Lockfiles::Lockfile. root: the workspace's folder.
      def initialize(lockfile, root)
        super("#{lockfile.path} is not used: #{lockfile.tool} uses the workspace #{root}, which has no " \
              "#{File.basename(lockfile.path)}",
              hint: "run `#{NoLockfile::MAKE[lockfile.tool]}` in #{root}, or #{OWN[lockfile.tool]}")
      end
    end

    # The workspace in a parent folder belongs to another user, or another user can write to it.
    class ForeignRoot < LockfileError
      def initialize(path)
        super("#{path} may be controlled by another user, who could make you run any command",
              hint: "remove it, or if it is yours, change the owner and mode of it and its folder (chown, chmod o-w)")
      end
    end

    # Lockfiles of several tools in one folder.
    class SeveralLockfiles < LockfileError
      def initialize(folder, names, manager)
        told = manager ? "names #{manager}, which has no lockfile there" : "does not name a package manager"
        tool = Project::Lockfiles.tool(names.first)
        version = Project::Version.installed(tool, ENV) || "VERSION"
        super("#{folder} has several lockfiles (#{names.join(", ")}), and package.json #{told}",
              hint: "remove the outdated ones, or name the tool in package.json, with its version: " \
                    "\"packageManager\": \"#{tool}@#{version}\"")
      end
    end

    # A project uses a feature that Spate does not support, so its own tool has to restore it.
    class LeftToTool < Error
      # [String] for the user: "a dependency from git".
      attr_reader :reasons

      def initialize(reasons)
        @reasons = Array(reasons)
        super("left to the project's own tool: #{@reasons.join("; ")}")
      end
    end

    # The project's own tool is not installed.
    class ToolMissing < Error
      EXIT_CODE = 5

      # tool: Tools::Tool
      def initialize(tool)
        super("#{File.basename(tool.project.lockfile)} is restored by #{tool.wanted}, which is not on the PATH",
              hint: ToolMissing.install(tool, corepack: tool.corepack?))
      end

      def self.install(tool, corepack: false)
        corepack = corepack ? ", or turn it on with `corepack enable`" : ""
        "install it: npm install -g #{[tool.package_name, tool.version].compact.join("@")}#{corepack}"
      end
    end

    # The project's own tool does not start, for example because corepack could not download it.
    class ToolUnusable < Error
      EXIT_CODE = 5

      # words: the command that starts the tool. lines: its output.
      def initialize(tool, words, lines)
        named = tool.project.manager
        other = ", and package.json names #{named}" if named && named.name != tool.name
        super("#{File.basename(tool.project.lockfile)} is restored by #{tool.wanted}, but `#{words.join(" ")}` does " \
              "not run#{other}", details: lines, hint: other ? differ(tool, named) : ToolMissing.install(tool))
      end

      private

      def differ(tool, named)
        "name #{tool.name} in package.json, or commit the lockfile of #{named.name} instead"
      end
    end

    # The project's own tool ended with an error.
    class ToolFailed < Error
      EXIT_CODE = 5

      # command: [String]. status: Process::Status. lines: the end of the output. found: the tool's version.
      def initialize(tool, command, status, lines, found)
        ended = status.signaled? ? "signal #{status.termsig}" : "status #{status.exitstatus}"
        exact = tool.project.manager&.exact && tool.version
        other = "; expected #{tool.wanted}, as package.json names it, found #{found}" if exact && exact != found
        super("`#{command.join(" ")}` ended with #{ended}#{other}",
              details: lines, hint: (ToolMissing.install(tool) if other))
      end
    end

    # A package's script failed.
    class ScriptFailed < Error
      EXIT_CODE = 10

      # whose: "sharp@0.33.0". event: "install". lines: the relevant lines of the output.
      def initialize(whose, event, script, reason, log: nil, hint: nil, lines: [])
        log &&= "; full log: #{log}"
        super("#{whose}: its script #{event} failed (#{reason}); failing command: #{script}#{log}",
              hint: hint, details: lines)
      end
    end

    # A script has to run, but node is not installed.
    class NodeMissing < Error
      EXIT_CODE = 10

      def initialize(whose, event)
        super("#{whose}: its script #{event} needs node, which is not on the PATH",
              hint: "install Node.js, or restore without scripts: --ignore-scripts")
      end
    end
  end
end
