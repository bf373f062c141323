# frozen_string_literal: true

module Spate
  class Store
    # Packages and builds of the gems in one folder. Several projects may install into it (Ruby's own gem folder,
    # GEM_HOME, a shared BUNDLE_PATH): each install replaces the lines of its own gems, and the others are kept while
    # their folders exist. Prune reads the records to find packages in use, and Edits to find the bundles that share a
    # file. Stored as a text under "bundles"; the key is the SHA-256 of the folder's path.
    #
    #   spate-bundle 2
    #   root<TAB>/home/me/app/vendor/bundle/ruby/3.1.0
    #   app<TAB>/home/me/app
    #   time<TAB>1700000000
    #   method<TAB>hard
    #   project<TAB>1690000000<TAB>copy<TAB>/home/me/other
    #   tree<TAB>linked|copied|private<TAB>p:<archive sha256>,b:<build key><TAB>gems/rake-13.0.6
    #   slot<TAB><package's key><TAB>3f2a.../@/rake/13.0.6/77aa...
    #   <empty line>
    #   <notes: data of the installer for its next run>
    #
    # app, time and method are those of the last install; each "project" line is another project's last install. In
    # version 1 all builds were in one tree with the path "", and method applied to all trees. A project whose paths
    # contain tabs or newlines is not recorded.
    class BundleRecord
      autoload :Recovery, "spate/store/bundle_record/recovery"

      HEADER = "spate-bundle 2"
      FORMER = "spate-bundle 1"
      private_constant :FORMER

      # path: relative to the bundle's root, the base of packages' files; files of builds are relative to the root.
      # packages, builds: Arrays of keys. private: true for a gem with its own files (`spate edit`). copied: true if
      # files were copied instead of linked, as requested by the user.
      class Tree
        attr_reader :path, :packages
        attr_accessor :builds
        attr_writer :private, :copied

        def initialize(path:, packages: [], builds: [], private: false, copied: false)
          @path = path
          @packages = packages
          @builds = builds
          @private = private
          @copied = copied
        end

        def private? = @private ? true : false
        def copied? = @copied ? true : false
        def linked? = !private? && !copied?

        # The manifests of its packages that the store has; later ones take precedence. found: result of Store#packages.
        def manifests(store, found = store.packages(packages)) = packages.filter_map { |key| found[key] }
      end

      # A project that installed here: its folder, the time of its last install, and that install's link method.
      Project = Struct.new(:app, :time, :link_method)

      def self.key(root) = Store.sha256(root)

      # The record of the bundle at a root, or nil. If two stores have one, they are merged.
      def self.load(store, root)
        found = store.shelves.filter_map { |shelf| parse(shelf.read("bundles", key(root))) }
        return found.first if found.size < 2

        last = found.max_by(&:time)
        (found - [last]).reduce(last, :over)
      end

      # Like load. packages: {full name => SHA-256 of the archive, or nil}, or full names. Gems missing from the record
      # are recognized by their files: see Recovery.
      def self.find(store, root, packages, record = load(store, root))
        lacking = packages.reject { |name,| record&.tree("gems/#{name}") }
        lacking.empty? ? record : Recovery.new(store, root).call(record, lacking)
      end

      # The path of the gem that a build (a manifest, or nil) was made for: "gems/bcrypt-3.1.20".
      def self.built(build) = build&.paths&.find { |path| path.start_with?("gems/") }&.[](%r{\Agems/[^/]+})

      # Records of all bundles, whether their project still exists or not.
      def self.all(store)
        keys = Dir.children(store.path("bundles")).grep(SHA256).sort
        keys.filter_map { |key| parse(store.read("bundles", key)) }
      rescue Errno::ENOENT
        []
      end

      # nil for a text that is not a bundle record of this version.
      def self.parse(text)
        former = text&.start_with?("#{FORMER}\n")
        return unless former || text&.start_with?("#{HEADER}\n")

        head, notes = text.split("\n\n", 2)
        values = { trees: [], slots: {}, others: [], notes: notes || "" }
        head.each_line(chomp: true).drop(1).each { |line| read(values, line.split("\t", -1)) }
        values[:trees].each { |tree| tree.copied = !tree.private? } if former && values[:link_method] == "copy"
        new(**values) if values[:root]
      end

      def self.read(values, fields)
        case fields
        in ["tree", state, keys, path] then values[:trees] << tree(state, keys.split(","), path)
        in ["root" | "app" => key, value] then values[key.to_sym] = value
        in ["method", value] then values[:link_method] = value
        in ["time", value] then values[:time] = value.to_i
        in ["project", time, method, path] then values[:others] << Project.new(path, time.to_i, method)
        in ["slot", key, path] then values[:slots][path] = key
        else nil # a line of a later version
        end
      end

      def self.tree(state, keys, path)
        packages = []
        builds = []
        keys.each { |key| (key.start_with?("p:") ? packages : builds) << key[2..] }
        Tree.new(path: path, packages: packages, builds: builds, private: state == "private", copied: state == "copied")
      end
      private_class_method :read, :tree

      # root, app: absolute paths; time: of the last install, seconds since the epoch; link_method: "hard", "clone" or
      # "copy"; others: [Project] that installed there before; slots: { path below the store's links => key of the
      # package there }, shared trees that the bundle links to; notes: String.
      attr_reader :root, :app, :time, :link_method, :others, :trees, :slots, :notes

      def initialize(root:, trees:, app: root, time: Time.now.to_i, link_method: "hard", others: [], slots: {},
                     notes: "")
        @root = Text.path(root)
        @app = Text.path(app)
        @time = time
        @link_method = link_method.to_s
        @others = others
        @trees = trees
        @slots = slots
        @notes = notes
      end

      def key = BundleRecord.key(root)
      def packages = (trees.flat_map(&:packages) | slots.values) - [""]
      def builds = trees.flat_map(&:builds).uniq
      def tree(path) = (@by_path ||= trees.reverse.to_h { |tree| [tree.path, tree] })[path]
      def destination(tree) = tree.path.empty? ? root : File.join(root, tree.path)
      # Used with the record's age, since a missing folder may be on an unmounted disk.
      def exist? = File.directory?(root)

      # [Project], starting with the one of the last install.
      def projects = [Project.new(app, time, link_method), *others]
      # The Project of an application's folder, or nil.
      def project(app) = projects.find { |project| project.app == Text.path(app) }

      # Jobs for Native.check_trees: [[destination, [manifest, ...]], ...] for all trees except private ones, and for
      # all builds.
      def jobs(store)
        shared = trees.reject(&:private?)
        found = store.packages(shared.flat_map(&:packages))
        jobs = shared.map { |tree| [destination(tree), tree.manifests(store, found)] }
        builds = self.builds.filter_map { |key| store.build(key) }
        builds.empty? ? jobs : jobs << [root, builds]
      end

      # The same bundle with one tree marked as private (or no longer private).
      def mark(path, private:)
        of_trees(trees.map { |tree| tree.path == path ? tree.dup.tap { |copy| copy.private = private } : tree })
      end

      # The same bundle with more trees.
      def with(*more) = of_trees(trees + more)

      # The same bundle with only the trees of these gems. Builds of a record in the old format may belong to any gem.
      def only(full_names) = of_trees([tree(""), *full_names.map { |name| tree("gems/#{name}") }].compact)

      # The same bundle with additional trees and projects that only an earlier record has.
      def over(earlier)
        known = projects.to_h { |project| [project.app, true] }
        of_trees(trees + earlier.trees.reject { |tree| tree(tree.path) },
                 others + earlier.projects.reject { |project| known[project.app] })
      end

      # Returns false if the record cannot be written.
      def save(store) = recordable? && !store.keeper.nil? && store.keeper.write("bundles", key, to_s)

      def forget(store)
        File.unlink(store.path("bundles", key))
      rescue Errno::ENOENT
        nil
      end

      def to_s
        lines = [HEADER, "root\t#{root}", "app\t#{app}", "time\t#{time}", "method\t#{link_method}"]
        lines.concat(others.map { |project| "project\t#{project.time}\t#{project.link_method}\t#{project.app}" })
        lines.concat(trees.map { |tree| tree_line(tree) })
        lines.concat(slots.map { |path, key| "slot\t#{key}\t#{path}" })
        "#{lines.join("\n")}\n\n#{notes}"
      end

      private

      def of_trees(trees, others = self.others)
        BundleRecord.new(root: root, app: app, time: time, link_method: link_method, slots: slots, notes: notes,
                         trees: trees, others: others)
      end

      def recordable? = [root, app, *trees.map(&:path), *slots.keys].none? { |value| value.match?(/[\t\n]/) }

      def tree_line(tree)
        keys = tree.packages.map { |key| "p:#{key}" } + tree.builds.map { |key| "b:#{key}" }
        "tree\t#{state(tree)}\t#{keys.join(",")}\t#{tree.path}"
      end

      def state(tree)
        return "private" if tree.private?

        tree.copied? ? "copied" : "linked"
      end
    end
  end
end
