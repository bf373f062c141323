# frozen_string_literal: true

module Spate
  class Store
    # Records the packages and builds of the gems in one folder. Several projects may install into the same folder
    # (RubyGems' folder, GEM_HOME, a shared BUNDLE_PATH). An install replaces the lines of its own gems, and preserves
    # the other lines while their folders exist. Prune reads the records to find packages in use, and Edits to find the
    # bundles that share a file. A record is a text under "bundles" whose key is the SHA-256 of the folder's path.
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
    # app, time and method are from the last install. Each "project" line describes another project's last install. In
    # version 1, all builds were in one tree with the path "", and method applied to all trees. A project whose paths
    # contain tabs or newlines is not recorded.
    class BundleRecord
      autoload :Recovery, "spate/store/bundle_record/recovery"

      HEADER = "spate-bundle 2"
      FORMER = "spate-bundle 1"
      private_constant :FORMER

      # The packages and builds of one gem. path: the gem's folder relative to the bundle's root. Files of packages are
      # relative to this path, and files of builds to the root. packages, builds: Arrays of keys. private: whether the
      # gem was copied for editing (`spate edit`). copied: whether the user requested copies instead of links.
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

        # The manifests of its packages that are in the store. Later ones take precedence. found: result of
        # Store#packages.
        def manifests(store, found = store.packages(packages)) = packages.filter_map { |key| found[key] }
      end

      # A project that installed into this folder. app: its folder. time, link_method: of its last install.
      Project = Struct.new(:app, :time, :link_method)

      def self.key(root) = Store.sha256(root)

      # The record of the bundle in a folder, or nil. If two stores have one, they are merged.
      def self.load(store, root)
        found = store.all_stores.filter_map { |shelf| parse(shelf.read("bundles", key(root))) }
        return found.first if found.size < 2

        last = found.max_by(&:time)
        (found - [last]).reduce(last, :over)
      end

      # Like load, but adds gems missing from the record by examining their files: see Recovery. packages: {full name =>
      # SHA-256 of the archive, or nil}, or full names.
      def self.find(store, root, packages, record = load(store, root))
        lacking = packages.reject { |name,| record&.tree("gems/#{name}") }
        lacking.empty? ? record : Recovery.new(store, root).call(record, lacking)
      end

      # The text of a record for a folder that has the same content. app: the project's folder.
      def self.moved(text, root:, app:)
        text.sub(/^root\t.*\napp\t.*\ntime\t.*\n/) { "root\t#{root}\napp\t#{app}\ntime\t#{Time.now.to_i}\n" }
      end

      # The path of the gem to which a build (manifest or nil) belongs: "gems/bcrypt-3.1.20".
      def self.built(build) = build&.paths&.find { |path| path.start_with?("gems/") }&.[](%r{\Agems/[^/]+})

      # The records of all bundles, including those of deleted projects.
      def self.all(store)
        keys = Dir.children(store.path("bundles")).grep(SHA256).sort
        keys.filter_map { |key| parse(store.read("bundles", key)) }
      rescue Errno::ENOENT
        []
      end

      # Parses a record. Returns nil if the text has a different format.
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
        else nil # a line of a newer version
        end
      end

      def self.tree(state, keys, path)
        packages = []
        builds = []
        keys.each { |key| (key.start_with?("p:") ? packages : builds) << key[2..] }
        Tree.new(path: path, packages: packages, builds: builds, private: state == "private", copied: state == "copied")
      end
      private_class_method :read, :tree

      # root, app: absolute paths. time: Unix time of the last install. link_method: "hard", "clone" or "copy". others:
      # [Project], other projects that installed here. slots: { path in the store's "links" => key of the package there
      # }, shared trees to which the bundle links. notes: String.
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
      # Whether the folder exists. A missing folder may be on an unmounted disk, so callers also check the record's age.
      def exist? = File.directory?(root)

      # [Project], starting with the project of the last install.
      def projects = [Project.new(app, time, link_method), *others]
      # The Project of an application's folder, or nil.
      def project(app) = projects.find { |project| project.app == Text.path(app) }

      # The jobs for Native.check_trees: [[destination, [manifest, ...]], ...] for all trees except private ones, and
      # for all builds.
      def jobs(store)
        shared = trees.reject(&:private?)
        found = store.packages(shared.flat_map(&:packages))
        jobs = shared.map { |tree| [destination(tree), tree.manifests(store, found)] }
        builds = self.builds.filter_map { |key| store.build(key) }
        builds.empty? ? jobs : jobs << [root, builds]
      end

      # A copy of the record in which one tree is marked as private or not.
      def mark(path, private:)
        of_trees(trees.map { |tree| tree.path == path ? tree.dup.tap { |copy| copy.private = private } : tree })
      end

      # A copy of the record with more trees.
      def with(*more) = of_trees(trees + more)

      # A copy of the record with only the trees of these gems. Includes all builds of a record in the old format, which
      # may belong to any gem.
      def only(full_names) = of_trees([tree(""), *full_names.map { |name| tree("gems/#{name}") }].compact)

      # A copy of the record, with the trees and projects added that are only in an earlier record.
      def over(earlier)
        known = projects.to_h { |project| [project.app, true] }
        of_trees(trees + earlier.trees.reject { |tree| tree(tree.path) },
                 others + earlier.projects.reject { |project| known[project.app] })
      end

      # Returns whether the record could be written.
      def save(store) = recordable? && !store.writable_store.nil? && store.writable_store.write("bundles", key, to_s)

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
