# frozen_string_literal: true

module Spate
  module JS
    # A folder for the files of one package.
    #
    # path:: the folder, relative to the project's root (or absolute, below the store, for a global virtual store)
    # package:: Package
    # optional:: whether the restore continues without it if it cannot be fetched or built
    # patch:: a patch's file, relative to the root, or nil
    # key:: its name in the lockfile, for messages, allow lists and state files
    # needs:: paths of the trees it depends on, which are built first
    Tree = Struct.new(:path, :package, :optional, :patch, :key, :needs) do
      def initialize(path:, package:, key:, optional: false, patch: nil, needs: [])
        super(path, package, optional, patch, key, needs)
      end

      # Names for it on the command line: "hello", "hello@1.0.0", and the name of its folder, which may be an alias.
      def names = [package.name, package.full_name, path[%r{(?:@[^/]+/)?[^/]+\z}]]
    end

    # A folder of executables, and the packages whose executables it contains. A package's bins are listed in its
    # package.json, so the folder is filled after unpacking.
    #
    # path:: e.g. "node_modules/.bin"
    # packages:: [[alias, path of the package's folder], ...]; alias nil: all packages of a node_modules that came in an
    #            archive
    # style:: responds to #entries(folder, facts, root) -> { path => Symlink or TextFile }. facts: #[](path) -> Facts;
    #         root: the plan's root
    BinFolder = Struct.new(:path, :packages, :style)

    # The entry for a path: a symbolic link, or a file that the restore writes.
    Symlink = Struct.new(:target)
    TextFile = Struct.new(:text, :mode)

    # The target state of a project's node_modules: all the data a restore needs. Paths are relative to the root.
    #
    # tool:: "npm" or "pnpm"
    # version:: of the tool that would run; nil if unknown
    # root:: the folder of the lockfile, absolute
    # trees:: [Tree]
    # links:: { path => target }: symbolic links with their exact targets
    # bins:: [BinFolder]
    # folders:: folders that are created even if they are empty
    # projects:: folders ("." for the root) that have a node_modules and scripts of their own
    # skipped:: [key] of optional packages that are not for this machine
    # rewrites:: changes that the tool makes in every package: :gitignore (renamed to .npmignore), :hashbang (\r removed
    #            from a bin's first line); :loose: how the tool applies patches, see Pnpm::Patch
    # warnings:: [String], the tool's warnings
    # inputs:: absolute paths of the files from which the plan was made, including missing files. A change of any of
    #          them makes the plan outdated
    # state:: responds to #files(outcome) -> { path => content }: the tool's state files, written last. May respond to
    #         #last -> [path]: state files that are written even after the project's own scripts; and to #again(outcome)
    #         -> the state for a Restore::Memory::Image, a small object. outcome: Outcome
    # workspace:: content of pnpm-workspace.yaml, for settings that are used after packages are in place; nil if it does
    #             not exist or was not read
    # omit:: kinds of dependencies that settings and options leave out; nil if only options can
    # release_age:: Pnpm::Planning::ReleaseAge, or nil: the minimum age of all packages in the lockfile
    # unconfirmed:: [Package] whose addresses the registry must confirm, or nil
    # fingerprint:: String that differs if settings, environment or machine lead to another plan
    Plan = Struct.new(:tool, :version, :root, :trees, :links, :bins, :folders, :projects, :skipped, :rewrites,
                      :warnings, :inputs, :state, :workspace, :omit, :release_age, :unconfirmed, :fingerprint,
                      keyword_init: true) do
      # Treats an unknown version as the newest.
      def major = version ? version.to_i : 12

      # A copy for storage, without the project's location. #at reverses this.
      def anywhere = dup.tap { |copy| copy.root = copy.inputs = nil }
      # Sets the project's root.
      def at(folder) = tap { self.root = folder }

      # Paths of trees to remove if these optional packages could not be fetched or built. keys: of the packages.
      def goes_with(keys) = keys.any? && state.respond_to?(:goes_with) ? state.goes_with(keys) : []
    end

    # The result of a restore, for the steps after its packages are in place: scripts, and the package manager's state
    # files.
    #
    # facts:: { path of a tree, or of a project (".") => Facts }
    # asking:: keys of trees that have scripts, run or not
    # built:: keys of trees whose scripts ran, now or before
    # pending:: keys of trees whose scripts were not allowed to run
    # deferred:: if scripts are ignored: [folders of projects with scripts, keys of trees with scripts]; otherwise nil
    # skipped:: keys of optional packages that could not be fetched or built, without those skipped by the plan
    # builds:: store keys of the results of scripts when they last ran, now or before
    # now:: Time of this restore
    # root:: the project's folder
    # store_root:: the store's folder
    Outcome = Struct.new(:facts, :asking, :built, :pending, :deferred, :skipped, :builds, :now, :root, :store_root,
                         keyword_init: true) do
      def initialize(facts: {}, asking: [], built: [], pending: [], skipped: [], builds: [], now: Time.now, **) = super
    end
  end
end
