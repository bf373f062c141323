# frozen_string_literal: true

module Spate
  # Restores node_modules from a JavaScript lockfile, using the same store as gems.
  #
  #   Project ──► a lockfile's reader ──► Plan ──► Restore ──► node_modules
  #               (npm, pnpm)                      fetch, unpack, link, bins, scripts, state files
  #
  # A Plan contains everything that a restore needs: which packages go where. Each package manager's rules are in a
  # separate folder.
  module JS
    %i[BinFolder Outcome Plan Symlink TextFile Tree].each { |name| autoload name, "spate/js/plan" }
    autoload :Configuration, "spate/js/configuration"
    %i[DisagreementError ForeignRoot LeftToTool LockfileError NoLockfile NodeMissing PackageFileError ScriptFailed
       SeveralLockfiles ToolFailed ToolMissing ToolUnusable UnknownPackage UnsafeNameError UnsafePathError
       UnusedLockfile].each { |name| autoload name, "spate/js/errors" }
    autoload :Importmap, "spate/js/importmap"
    autoload :Npm, "spate/js/npm"
    autoload :Options, "spate/js/options"
    autoload :Package, "spate/js/package"
    autoload :Pnpm, "spate/js/pnpm"
    autoload :Project, "spate/js/project"
    autoload :Reading, "spate/js/reading"
    autoload :Registry, "spate/js/registry"
    autoload :Restore, "spate/js/restore"
    autoload :Scripts, "spate/js/scripts"
    autoload :Tools, "spate/js/tools"

    # Restores a project's node_modules. root: the lockfile's folder; backlog: the fetch queue that gems and packages
    # share in one install, or nil. Returns a Report. Raises Spate::Error.
    def self.restore(root:, store:, env: ENV, events: Events.new, options: Options.new, backlog: nil)
      Restore::Run.new(root: root, env: env, store: store, events: events, options: options, backlog: backlog).call
    end

    # Compares a project's node_modules with its lockfile. Returns a Restore::Check::Result. Changes nothing.
    def self.check(root:, store:, env: ENV, options: Options.new)
      Restore::Run.new(root: root, env: env, store: store, events: Events.new, options: options).check
    end

    # Why a project is left to its own tool: [String], empty if the only reason is that the lockfile belongs to that
    # tool; nil if Spate restores the project. Raises Spate::Error.
    def self.reasons(root:, store:, env: ENV, options: Options.new)
      Restore::Run.new(root: root, env: env, store: store, events: Events.new, options: options).reasons
    end

    # Whether node_modules is unchanged since a restore without options: true, false, or nil if no restore is recorded.
    # Compares the record only, without reading every file, making a plan or starting a process. root: the lockfile's
    # folder.
    def self.in_place?(root, env = ENV)
      env = env.to_h
      store = Store.open(env: env)
      record = Restore::Memory::Record.load(store, File.realpath(root))
      return record.hold?(Restore::Memory::Surroundings.new(env, Options.new, store).to_s, env) if record

      Tools.left_in_place?(root, env)
    end

    # Whether a restore, complete or not, has put packages into a project's node_modules.
    def self.placed?(root, env = ENV)
      !Store::BundleRecord.load(Store.open(env: env.to_h), File.join(File.realpath(root), "node_modules")).nil?
    end
  end
end
