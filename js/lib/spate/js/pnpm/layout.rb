# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # Where each snapshot's files are: in a slot of the virtual store, below the slot's node_modules.
      class Layout
        autoload :Circles, "spate/js/pnpm/layout/circles"
        autoload :Global, "spate/js/pnpm/layout/global"
        autoload :GraphHash, "spate/js/pnpm/layout/graph_hash"

        # folder: of the virtual store, relative to the root ("node_modules/.pnpm"). longest: bytes of a slot's name.
        # old: whether slots are called as up to pnpm 9.
        def initialize(folder, longest, old: false)
          @folder = folder
          @longest = longest
          @old = old
          @names = {}
          @claimed = {}
        end

        attr_reader :folder

        # The slot's folder in the virtual store. Raises LockfileError where another key would have the same one.
        def name(key)
          @names[key] ||= claim(key, DepPath.file_name(key, @longest, old: @old))
        end

        # The slot's node_modules.
        def modules(snapshot) = "#{@folder}/#{name(snapshot.key)}/node_modules"
        # The package's own folder.
        def path(snapshot) = "#{@folder}/#{name(snapshot.key)}/node_modules/#{snapshot.name}"

        # The target of a link beside the package's own folder, to another's. name: the link's, with or without a scope.
        def sibling(snapshot, name, other)
          up = name.include?("/") ? "../../../" : "../../"
          return "#{up}#{name(other.key)}/node_modules/#{other.name}" unless snapshot.key == other.key

          name.include?("/") ? "../#{other.name}" : other.name
        end

        # The folder that a plan's relative paths are below; nil where all of them are relative.
        def root = nil
        # The folder that projects share, absolute, or nil.
        def shared = nil
        # Whether projects share the folder of a snapshot.
        def shared?(_snapshot) = false

        # The relative path from a folder to a path. root: where one of both may be absolute.
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

        # Most paths are clean, and there are thousands.
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
      end
    end
  end
end
