# frozen_string_literal: true

module Spate
  module JS
    # An application's JavaScript half: the place of its lockfile, and the tool that owns it.
    #
    # folder:: the application's folder, absolute
    # root:: the folder of the lockfile: this one, or that of the workspace which the application belongs to
    # tool:: "npm", "pnpm", "yarn" (version 1), "berry", "bun" or "deno"
    # lockfile:: absolute
    Project = Struct.new(:folder, :root, :tool, :lockfile)

    class Project
      PACKAGE = "package.json"
      BOM = "\uFEFF"
      # The file of a workspace above that may replace a folder's own lockfile, by tool.
      ABOVE = { "npm" => PACKAGE, "pnpm" => "pnpm-workspace.yaml" }.freeze

      autoload :Braces, "spate/js/project/braces"
      autoload :Lockfiles, "spate/js/project/lockfiles"
      autoload :Manager, "spate/js/project/manager"
      autoload :Trust, "spate/js/project/trust"
      autoload :Version, "spate/js/project/version"
      autoload :Workspace, "spate/js/project/workspace"

      # The Project of a folder; nil where it has no package.json. Loads nothing where one lockfile is beside it and no
      # workspace can be above. Raises LockfileError. from: where the user is, if that is below: files of other
      # users in a folder above are ignored.
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

      # The Project of the folder of a lockfile, without a look at what is above it.
      def self.at(root, env = ENV)
        lockfile = Lockfiles.in(root) or return find(root, env)
        new(root, root, lockfile.tool, lockfile.path)
      end

      # The Project of a folder with a lockfile: the folder's own, or the workspace above that its tool uses instead.
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

      # The lockfile of a member that its tool does not use (absolute), or nil. Raises SeveralLockfiles.
      def unused_lockfile = (Lockfiles.in(folder)&.path unless folder == root)
      # The root's package.json, {} if it is missing. Raises LockfileError.
      def package_json = @package_json ||= Project.read(File.join(root, PACKAGE))
      # Manager that package.json names, or nil.
      def manager = @manager ||= Manager.in(package_json)
      # Version of the tool that would run, nil if unknown.
      def version(env) = Version.of(self, env)
      # As people call it.
      def tool_name = tool == "berry" ? "yarn" : tool

      # A package.json as a Hash; {} where it is missing. pnpm's settings in it are a Hash, or left out. Raises
      # LockfileError.
      def self.read(path)
        require "json"
        text = Reading.text(path)
        found = JSON.parse(text.delete_prefix(BOM), max_nesting: 100)
        raise LockfileError, "#{path}: expected an object, found #{found.class}" unless found.is_a?(Hash)

        found["pnpm"].is_a?(Hash) ? found : found.except("pnpm")
      rescue Errno::ENOENT
        {}
      rescue JSON::ParserError, EncodingError, ArgumentError => e
        raise Reading::Fault.error(path, text, e)
      end
    end
  end
end
