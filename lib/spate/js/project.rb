# frozen_string_literal: true

module Spate
  module JS
    # An application's JavaScript half: where its lockfile lies, and whose it is.
    #
    # folder:: the application's folder, absolute
    # root:: the folder of the lockfile: this one, or that of the workspace which the application belongs to
    # tool:: "npm", "pnpm", "yarn" (version 1), "berry", "bun" or "deno"
    # lockfile:: absolute
    Project = Struct.new(:folder, :root, :tool, :lockfile)

    class Project
      PACKAGE = "package.json"
      BOM = "\uFEFF"

      autoload :Braces, "spate/js/project/braces"
      autoload :Lockfiles, "spate/js/project/lockfiles"
      autoload :Manager, "spate/js/project/manager"
      autoload :Trust, "spate/js/project/trust"
      autoload :Version, "spate/js/project/version"
      autoload :Workspace, "spate/js/project/workspace"

      # The Project of a folder; nil where it has no package.json . Loads nothing where one
      # lockfile lies beside it. Raises LockfileError. env: unused so far. from: where the user is, if that is below:
      # what others put into a folder above is no project.
      def self.find(folder, _env = ENV, from: folder)
        folder, from = [folder, from].map { |path| File.expand_path(path) }
        return if folder != from && Trust.new(from).culprit(folder)

        lockfile = Lockfiles.in(folder)
        return new(folder, folder, lockfile.tool, lockfile.path) if lockfile
        return unless File.file?(File.join(folder, PACKAGE))

        root = Workspace.root(folder)
        lockfile = root && Lockfiles.in(root) or raise NoLockfile.new(folder, Manager.of(folder))
        new(folder, root, lockfile.tool, lockfile.path)
      end

      # What the root's package.json says, {} where there is none. Raises LockfileError.
      def package_json = @package_json ||= Project.read(File.join(root, PACKAGE))
      # Manager that package.json names, or nil.
      def manager = @manager ||= Manager.in(package_json)
      # Version of the tool that would run, nil where nobody says.
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
