# frozen_string_literal: true

module Spate
  class Store
    # What one bundle was made from. Prune sees in it what is in use, and edits who else has a file. Kept as a text
    # under "bundles", key: SHA-256 of the bundle's root.
    #
    #   spate-bundle 1
    #   root<TAB>/home/me/app/vendor/bundle/ruby/3.1.0
    #   app<TAB>/home/me/app
    #   time<TAB>1700000000
    #   method<TAB>hard
    #   tree<TAB>linked|private<TAB>p:<archive sha256>,b:<build key><TAB>gems/rake-13.0.6
    #   slot<TAB><package's key><TAB>3f2a.../@/rake/13.0.6/77aa...
    #   <empty line>
    #   <notes: whatever else the installer wants to remember>
    #
    # A tree's manifests lie over each other in their order. A project whose paths have tabs or newlines is not
    # recorded.
    class BundleRecord
      HEADER = "spate-bundle 1"

      # path: relative to the bundle's root ("" for the root itself, as overlays of builds use it).
      # packages, builds: Arrays of keys. private: true when the user asked for files of their own (`spate edit`).
      Tree = Struct.new(:path, :packages, :builds, :private, keyword_init: true) do
        def initialize(path:, packages: [], builds: [], private: false) = super

        def private? = private ? true : false

        # Those of its manifests that the store has, the later over the earlier. packages: what Store#packages found.
        def manifests(store, found = store.packages(packages))
          packages.filter_map { |key| found[key] } + builds.filter_map { |key| store.build(key) }
        end
      end

      def self.key(root) = Store.sha256(root)

      # The record of the bundle at a root, the last one, or nil.
      def self.load(store, root)
        store.shelves.filter_map { |shelf| parse(shelf.read("bundles", key(root))) }.max_by(&:time)
      end

      # The same. Gems of these full names that it does not know are recognised by what lies there: see RecordRecovery.
      def self.find(store, root, full_names, record = load(store, root))
        lacking = full_names.reject { |name| record&.tree("gems/#{name}") }
        lacking.empty? ? record : RecordRecovery.new(store, root).call(record, lacking)
      end

      # Of every bundle, whether its project still exists or not.
      def self.all(store)
        keys = Dir.children(store.path("bundles")).grep(SHA256).sort
        keys.filter_map { |key| parse(store.read("bundles", key)) }
      rescue Errno::ENOENT
        []
      end

      # nil for a text that is not a bundle record of this version.
      def self.parse(text)
        return unless text&.start_with?("#{HEADER}\n")

        head, notes = text.split("\n\n", 2)
        values = { trees: [], slots: {}, notes: notes || "" }
        head.each_line(chomp: true).drop(1).each { |line| read(values, line.split("\t", -1)) }
        new(**values) if values[:root]
      end

      def self.read(values, fields)
        case fields
        in ["root" | "app" => key, value] then values[key.to_sym] = value
        in ["method", value] then values[:link_method] = value
        in ["time", value] then values[:time] = value.to_i
        in ["tree", state, keys, path] then values[:trees] << tree(state, keys.split(","), path)
        in ["slot", key, path] then values[:slots][path] = key
        else nil # a later version's line
        end
      end

      def self.tree(state, keys, path)
        packages, builds = keys.partition { |key| key.start_with?("p:") }
        Tree.new(path: path, packages: packages.map { |key| key[2..] }, builds: builds.map { |key| key[2..] },
                 private: state == "private")
      end
      private_class_method :read, :tree

      # root, app: absolute paths; time: of the last install, seconds since the epoch; link_method: "hard", "clone" or
      # "copy"; slots: { path below the store's links => key of the package there }, shared trees that it has links to;
      # notes: String.
      attr_reader :root, :app, :time, :link_method, :trees, :slots, :notes

      def initialize(root:, trees:, app: root, time: Time.now.to_i, link_method: "hard", slots: {}, notes: "")
        @root = root
        @app = app
        @time = time
        @link_method = link_method.to_s
        @trees = trees
        @slots = slots
        @notes = notes
      end

      def key = BundleRecord.key(root)
      def packages = (trees.flat_map(&:packages) | slots.values) - [""]
      def builds = trees.flat_map(&:builds).uniq
      def tree(path) = (@by_path ||= trees.reverse.to_h { |tree| [tree.path, tree] })[path]
      def destination(tree) = tree.path.empty? ? root : File.join(root, tree.path)
      # A folder that is missing may be on a disk that is not mounted: prune asks for its age as well.
      def exist? = File.directory?(root)

      # Jobs for Native.check_trees: [[destination, [manifest, ...]], ...] of all trees that are linked.
      def jobs(store)
        linked = trees.reject(&:private?)
        found = store.packages(linked.flat_map(&:packages))
        linked.map { |tree| [destination(tree), tree.manifests(store, found)] }
      end

      # The same bundle with one tree marked as the user's own (or given back).
      def mark(path, private:)
        of_trees(trees.map { |tree| tree.path == path ? tree.dup.tap { |copy| copy.private = private } : tree })
      end

      # The same bundle with more trees.
      def with(*more) = of_trees(trees + more)

      # Answers false where it cannot be written.
      def save(store) = recordable? && !store.keeper.nil? && store.keeper.write("bundles", key, to_s)

      def forget(store)
        File.unlink(store.path("bundles", key))
      rescue Errno::ENOENT
        nil
      end

      def to_s
        lines = [HEADER, "root\t#{root}", "app\t#{app}", "time\t#{time}", "method\t#{link_method}"]
        lines.concat(trees.map { |tree| tree_line(tree) })
        lines.concat(slots.map { |path, key| "slot\t#{key}\t#{path}" })
        "#{lines.join("\n")}\n\n#{notes}"
      end

      private

      def of_trees(trees)
        BundleRecord.new(root: root, app: app, time: time, link_method: link_method, slots: slots, notes: notes,
                         trees: trees)
      end

      def recordable? = [root, app, *trees.map(&:path), *slots.keys].none? { |value| value.match?(/[\t\n]/) }

      def tree_line(tree)
        keys = tree.packages.map { |key| "p:#{key}" } + tree.builds.map { |key| "b:#{key}" }
        "tree\t#{tree.private? ? "private" : "linked"}\t#{keys.join(",")}\t#{tree.path}"
      end
    end
  end
end
