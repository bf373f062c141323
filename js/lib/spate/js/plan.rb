# frozen_string_literal: true

module Spate
  module JS
    # One place that gets a package's files.
    #
    # path:: the folder, relative to the project's root (or absolute, below the store, for a global virtual store)
    # package:: Package
    # optional:: whether the restore goes on without it where it cannot be had or built
    # patch:: a patch's file, relative to the root, or nil
    # key:: what the lockfile calls it, for messages, allow lists and state files
    # needs:: paths of the trees it depends on: what is built first
    Tree = Struct.new(:path, :package, :optional, :patch, :key, :needs) do
      def initialize(path:, package:, key:, optional: false, patch: nil, needs: [])
        super(path, package, optional, patch, key, needs)
      end

      # Names for it on the command line: "hello", "hello@1.0.0", and the name of its folder, which may be an alias.
      def names = [package.name, package.full_name, path[%r{(?:@[^/]+/)?[^/]+\z}]]
    end

    # A folder of executables, and the packages whose bins it has. The bins of a package are in its package.json, so
    # they are made once that is known.
    #
    # path:: e.g. "node_modules/.bin"
    # packages:: [[alias, path of the package's folder], ...]; alias nil: all packages of a node_modules that came in an
    #            archive
    # style:: responds to #entries(folder, facts, root) -> { path => Symlink or TextFile }. facts: #[](path) -> Facts;
    #         root: the plan's
    BinFolder = Struct.new(:path, :packages, :style)

    # The entry for a path: a symbolic link, or a file that this restore writes.
    Symlink = Struct.new(:target)
    TextFile = Struct.new(:text, :mode)

    # The target state of a project's node_modules: all the data a restore needs. Paths are relative to the root.
    #
    # tool:: "npm" or "pnpm"
    # version:: of the tool that would run, nil if unknown
    # root:: the folder of the lockfile, absolute
    # trees:: [Tree]
    # links:: { path => target }: symbolic links with their exact targets
    # bins:: [BinFolder]
    # folders:: that are created even if nothing is in them
    # projects:: folders ("." for the root) that have a node_modules and scripts of their own
    # skipped:: [key] of optional packages that are not for this machine
    # rewrites:: what the tool changes of every package: :gitignore (called .npmignore), :hashbang (a bin's first line
    #            without \r); :loose: how it applies patches, see Pnpm::Patch
    # warnings:: [String], what the tool would warn of
    # inputs:: files that the plan was made from (absolute), absent ones too: a change of one makes another plan
    # state:: responds to #files(outcome) -> { path => content }: the tool's own state, written last; perhaps to #last
    #         -> [path], of it what is written even after the project's own scripts. outcome:: Outcome
    # workspace:: what pnpm-workspace.yaml says, for the settings that count when packages are there; nil where there
    #             is none, or it was not read
    # omit:: kinds of dependencies that settings and options leave out, nil where options alone do
    # release_age:: Pnpm::Planning::ReleaseAge, or nil: how old all that the lockfile names has to be
    # unconfirmed:: [Package] with an address that has to be the registry's, or nil
    # fingerprint:: String that differs where settings, environment or machine gave another plan
    Plan = Struct.new(:tool, :version, :root, :trees, :links, :bins, :folders, :projects, :skipped, :rewrites,
                      :warnings, :inputs, :state, :workspace, :omit, :release_age, :unconfirmed, :fingerprint,
                      keyword_init: true) do
      # The newest if the version is unknown.
      def major = version ? version.to_i : 12

      # A copy without the project's place, to be kept. #at reverses it.
      def anywhere = dup.tap { |copy| copy.root = copy.inputs = nil }
      # Sets the project's root.
      def at(folder) = tap { self.root = folder }

      # Paths of trees that are taken away where these optional packages could not be had or built. keys: theirs.
      def goes_with(keys) = keys.any? && state.respond_to?(:goes_with) ? state.goes_with(keys) : []
    end

    # The result of a restore, for the steps after its packages are in place: scripts, and the package manager's state
    # files.
    #
    # facts:: { path of a tree, or of a project (".") => Facts }
    # asking:: keys of trees that have scripts, run or not
    # built:: keys of trees whose scripts ran, now or before
    # pending:: keys of trees whose scripts were not allowed to
    # deferred:: where scripts are ignored: [folders of projects that have some, keys of trees that have]; else nil
    # skipped:: keys of optional packages that could not be had, or built; those the plan skipped are not among them
    # builds:: keys in the store of what scripts made when they last ran, now or before
    # now:: Time of this restore
    # root:: the project's folder
    # store_root:: the store's folder
    Outcome = Struct.new(:facts, :asking, :built, :pending, :deferred, :skipped, :builds, :now, :root, :store_root,
                         keyword_init: true) do
      def initialize(facts: {}, asking: [], built: [], pending: [], skipped: [], builds: [], now: Time.now, **) = super
    end
  end
end
