# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # Determines where each snapshot's files are: in a slot of the virtual store, below the slot's node_modules.
      class Layout
        # folder: the virtual store, relative to the root ("node_modules/.pnpm"). longest: maximum bytes of a slot's
        # name. old: whether to use slot names of pnpm up to 9.
        def initialize(folder, longest, old: false)
          @folder = folder
          @longest = longest
          @old = old
          @names = {}
          @claimed = {}
        end

        attr_reader :folder

        # The slot's folder in the virtual store. Raises LockfileError if another key has the same name.
        def name(key)
          @names[key] ||= claim(key, DepPath.file_name(key, @longest, old: @old))
        end

        # The slot's node_modules folder.
        def modules(snapshot) = "#{@folder}/#{name(snapshot.key)}/node_modules"
        # The package's own folder.
        def path(snapshot) = "#{@folder}/#{name(snapshot.key)}/node_modules/#{snapshot.name}"

        # The target of a link in a slot's node_modules that leads to another slot. name: the link's name, with or
        # without a scope.
        def sibling(snapshot, name, other)
          up = name.include?("/") ? "../../../" : "../../"
          return "#{up}#{name(other.key)}/node_modules/#{other.name}" unless snapshot.key == other.key

          name.include?("/") ? "../#{other.name}" : other.name
        end

        # The base folder of a plan's relative paths; nil if all paths are relative.
        def root = nil
        # The folder that projects share, absolute, or nil.
        def shared = nil
        # Whether projects share the folder of a snapshot.
        def shared?(_snapshot) = false

        # The relative path from a folder to a path. root: needed if one of the two may be absolute.
        def self.relative(folder, path, root = nil)
          folder, path = [folder, path].map { |each| absolute(each, root) } if root
          from = "#{folder}/"
          whole = "#{path}/"
          up = 0
          until whole.start_with?(from)
            slash = from.rindex("/", -2)
            from = slash ? from[0..slash] : ""
            up += 1
          end
          (("../" * up) + whole[from.size..]).chomp("/").chomp("/")
        end

        # Expands only paths that need it: there are thousands, and most are already absolute and clean.
        def self.absolute(path, root)
          return File.expand_path(path, root) if path.include?("..") || path == "."

          path.start_with?("/") ? path : "#{root}/#{path}"
        end
        private_class_method :absolute

        private

        def claim(key, name)
          other = @claimed[name.downcase]
          raise LockfileError, "pnpm-lock.yaml: #{key} and #{other} would share the folder #{name}" if other

          @claimed[name.downcase] = key
          name
        end

        # Finds packages that depend on each other in a cycle: the strongly connected components of a graph (Tarjan,
        # "Depth-first search and linear graph algorithms", 1972).
        class Circles
          # The block returns the keys that a key depends on.
          def initialize(&needs)
            @needs = needs
            @circles = {}
            @numbers = {}
            @lowest = {}
            @open = []
          end

          # Returns the keys of the cycle that contains `key`; [key] if no cycle does. Raises SystemStackError.
          def of(key)
            visit(key) unless @numbers.key?(key)
            @circles.fetch(key)
          end

          private

          def visit(key)
            @numbers[key] = @lowest[key] = @numbers.size
            @open << key
            @needs.call(key).each do |other|
              visit(other) unless @numbers.key?(other)
              @lowest[key] = [@lowest[key], @lowest[other]].min unless @circles.key?(other)
            end
            close(key) if @lowest[key] == @numbers[key]
          end

          def close(key)
            circle = @open.slice!(@open.rindex(key)..)
            circle.each { |each| @circles[each] = circle }
          end
        end

        # Slots in a folder that projects share. Each project has a symbolic link for every dependency, and its own
        # folder of hoisted packages. Packages whose scripts may write into them are not shared, nor are their
        # dependents: their slots are in the project, as without a global virtual store.
        class Global < Layout
          # Increment when the content of a slot changes under the same name.
          FORMAT = 1
          # A valid name of a single folder.
          PART = %r{\A(?!\.{1,2}\z)[^/\\:\0\s]+\z}

          # shared: the absolute path of the folder. hashes: GraphHash. For other arguments see Layout.
          def initialize(folder, longest, root, shared, hashes)
            super(folder, longest)
            @root = root
            @shared = shared
            @hashes = hashes
            @modules = {}
            @paths = {}
            @parts = {} # { key => parts of the slot's path below the folder }
          end

          def modules(snapshot)
            @modules[snapshot.key] ||= shared?(snapshot) ? "#{slot(snapshot)}/node_modules" : super
          end

          def path(snapshot) = @paths[snapshot.key] ||= "#{modules(snapshot)}/#{snapshot.name}"

          # The relative path between two slots. Compares parts of names, because whole paths are long and numerous.
          def sibling(snapshot, name, other)
            from, to = [snapshot, other].map { |each| @parts[each.key] if modules(each) }
            same = (0..3).find { |part| from[part] != to[part] } if from && to
            return Layout.relative(File.dirname("#{modules(snapshot)}/#{name}"), path(other), @root) unless same

            "#{"../" * (5 - same + name.count("/"))}#{to.drop(same).join("/")}/node_modules/#{other.name}"
          end

          # Whether a snapshot is in a slot that projects share.
          def shared?(snapshot) = !@hashes.builds?(snapshot.key)

          # The base folder of a plan's relative paths; links lead from it into the store.
          attr_reader :root, :shared

          private

          def slot(snapshot)
            version = (snapshot.entry["version"] || snapshot.version).to_s
            # Without a digest the name does not identify the content.
            known = PART.match?(version) && snapshot.entry.dig("resolution", "integrity")
            raise LeftToTool, ["#{snapshot.key} in a global virtual store"] unless known

            scope = "@/" unless snapshot.name.start_with?("@")
            name = "#{scope}#{snapshot.name}/#{version}/#{@hashes.of(snapshot.key)}"
            @parts[snapshot.key] = name.split("/")
            "#{@shared}/#{name}"
          end
        end

        # The names of slots in a global virtual store: a digest of the package and all its dependencies, so that
        # projects with the same graph share a slot. Spate uses pnpm's names, with two exceptions. In a dependency
        # cycle, pnpm's names depend on the package where the walk entered the cycle, and leave out some dependencies,
        # so that two projects could need different content in one slot. Packages that are built are not shared.
        class GraphHash
          # lockfile: Lockfile. built: a Proc that accepts a package's name and returns whether its scripts may run.
          def initialize(lockfile, root, built)
            @snapshots = lockfile.snapshots
            @root = root
            @built = built
            @hashes = {}
            @own = {}
            @children = {}
            @builds = {}.compare_by_identity
            @circles = Circles.new { |key| children(key).values }
          end

          # The hexadecimal digest for a key.
          def of(key)
            # pnpm does not sort these two keys.
            text = ObjectHash.write(+"object:2:".b << "string:6:engine:", nil) << ",string:4:deps:"
            Digest::SHA256.hexdigest(ObjectHash.write(text, hash(key)) << ",")
          rescue SystemStackError
            raise LeftToTool, ["a graph of packages that is too deep (#{key})"]
          end

          # Whether the slot contains built files, of the package or of its dependencies.
          def builds?(key)
            circle = @circles.of(key)
            @builds.fetch(circle) do
              @builds[circle] = circle.any? { |each| built?(each) } ||
                                circle.any? { |each| outside(each, circle).any? { |child| builds?(child) } }
            end
          rescue SystemStackError
            raise LeftToTool, ["a graph of packages that is too deep (#{key})"]
          end

          private

          def built?(key) = (snapshot = @snapshots[key]) && @built.call(snapshot.name)
          def outside(key, circle) = children(key).values - circle

          def hash(key)
            @hashes[key] ||= begin
              circle = @circles.of(key)
              all = own(key, circle)
              all["circle"] = circle.map { |each| digest(each, circle) }.sort if circle.size > 1
              ObjectHash.digest(all)
            end
          end

          # The text for a package in its cycle, in which the other packages are represented only by name.
          def own(key, circle)
            { "id" => id(key),
              "deps" => children(key).transform_values { |child| circle.include?(child) ? child : hash(child) } }
          end

          def digest(key, circle) = @own[key] ||= ObjectHash.digest(own(key, circle))

          def id(key)
            snapshot = @snapshots[key] or return key
            integrity = snapshot.entry.dig("resolution", "integrity")
            [DepPath.with_patch(key), integrity].compact.join(":")
          end

          # { alias => key }; "link:..." for a folder.
          def children(key)
            @children[key] ||= begin
              snapshot = @snapshots[key]
              links = snapshot ? snapshot.links.transform_values { |path| "link:#{File.expand_path(path, @root)}" } : {}
              snapshot ? snapshot.needs.merge(snapshot.wants, links) : links
            end
          end
        end
      end
    end
  end
end
