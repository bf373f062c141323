# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Graph
        # One key of a lockfile's `packages`: the root (""), a folder of the project ("packages/a"), what is below a
        # node_modules ("node_modules/a/node_modules/b"), or a link to a folder.
        class Place
          NODE_MODULES = "node_modules/"

          # path:: the key. name:: the last folder below node_modules (an alias may differ from the package's name).
          # entry:: Hash, its entry in the lockfile.
          attr_reader :path, :name, :entry
          # parent:: Place whose node_modules this is in, nil for a folder of the project.
          # above:: where its own packages are looked for next: the parent, or the folder around it.
          # target:: of a link: the Place it leads to.
          # children:: { name => Place }
          # manifest:: of a folder of the project: its package.json
          # edges:: [Place, kinds, Place, kinds, ...]: what it needs, see Graph
          # dependents:: the same the other way round, see OptionalSet
          # kinds:: bits, see Kinds
          # inert:: left out with an optional package
          # bundler:: Place in whose archive it is
          attr_accessor :parent, :above, :target, :children, :edges, :dependents, :kinds, :manifest, :inert, :bundler

          def initialize(path, name, entry)
            @path = path
            @name = name
            @entry = entry
            @kinds = 0
          end

          def root? = @path.empty?
          def link? = !@target.nil?
          # A folder of the project, not below a node_modules.
          def folder? = @name.nil?
          # Whether it is needed at all. For the reasons see Kinds.
          def wanted? = @kinds.anybits?(Kinds::WANTED)
          def dev? = @kinds.nobits?(Kinds::DEV_FREE)
          def optional? = @kinds.nobits?(Kinds::OPTIONAL_FREE)
          def peer? = @kinds.nobits?(Kinds::PEER_FREE)
          def dev_optional? = @kinds.nobits?(Kinds::PLAIN) && !dev? && !optional?
          # Outside of the root.
          def outside? = @path == ".." || @path.start_with?("../")
          # Its package.json as far as the lockfile has it; for a folder the package.json itself.
          def data = @manifest || (@target ? @target.data : @entry)
          # The name by which registries know it.
          def package_name = @entry["name"] || @name || folder_name
          def version = data["version"]
          # npm's name of a folder: with its scope, if it is in one.
          def folder_name = @path[%r{(?:\A|/)(@[^/]+/[^/]+)\z}, 1] || File.basename(@path)

          # The place that `require(name)` finds from here, or nil.
          def resolve(name)
            place = self
            place = place.above until place.nil? || (found = place.children&.[](name))
            found
          end

          # The outermost one around it that is in no node_modules.
          def top
            place = self
            place = place.parent while place.parent
            place
          end

          def depth = @parent ? @parent.depth + 1 : 0
        end
      end
    end
  end
end
