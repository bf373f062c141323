# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Whether a node_modules is as its plan has it: every file of every package, links, bins, state. Changes nothing.
      class Check
        # What differs.
        #
        # path:: relative to the project's root
        # kind:: :missing, :changed, :type (a folder for a file, or the like) or :stray
        # expected, found:: of a link: where it leads; else nil
        Difference = Struct.new(:path, :kind, :expected, :found) do
          def to_s
            return "#{path}: is a link to #{found || "nothing"}, expected #{expected}" if expected

            "#{path}: #{{ missing: "is missing", changed: "was changed", type: "is of another type",
                          stray: "does not belong there" }.fetch(kind)}"
          end
        end

        # differences: [Difference]; total: packages of the plan, nil without one.
        Result = Struct.new(:differences, :total) do
          def ok? = differences.empty?
          # Whether it is the project's own tool that restores: nobody has counted.
          def left? = total.nil?
        end

        # The project's own tool restores it: what a look tells.
        def self.of_tool(there, root)
          return Result.new([]) if there

          kind = File.directory?(File.join(root, "node_modules")) ? :changed : :missing
          Result.new([Difference.new("node_modules", kind)])
        end

        def initialize(context, plan)
          @context = context
          @plan = plan
          @store = context.store
          @folders = Place::Folders.new(plan.root, nil)
        end

        # Result.
        def call
          @items = Supply::Items.new(@plan)
          packages = Supply::Packages.new(@context)
          packages.lacking(@items)
          skipped, present = @plan.trees.partition { |tree| tree.optional && !folder?(tree.path) }
          entries = entries(skipped)
          found = trees(present) + entries.filter_map { |path, entry| differs(path, entry) } + strays(entries.keys)
          Result.new(found.uniq.sort_by(&:path), @plan.trees.size)
        end

        private

        # An optional package that could not be had is no difference.
        def trees(trees)
          absent, there = trees.partition { |tree| !folder?(tree.path) }
          absent.map { |tree| lacking(tree.path) } + files(there)
        end

        # What the store does not have cannot be compared; what scripts wrote is the project's own.
        def files(trees)
          recorded, = Memory::Places.load(@context, @plan.root)
          trees = trees.select { |tree| @items.of(tree).stored? && !recorded[tree.path]&.private? }
          jobs = trees.map { |tree| [@context.path(tree.path), [@items.of(tree).manifest]] }
          found = Native.check_trees(jobs, @context.unpackers)
          found.filter_map { |job, _, index, kind| file(trees[job], index, kind) }
        end

        # A file with another time is the same where its content is.
        def file(tree, index, kind)
          entry = @items.of(tree).manifest.entry(index)
          path = "#{tree.path}/#{entry[:path]}"
          return if kind == :changed && Store::Object.matches?(@store, entry, @context.path(path))

          Difference.new(path, kind)
        end

        def entries(skipped)
          facts = @plan.trees.filter_map { |tree| [tree.path, @items.of(tree).facts] if @items.of(tree).facts }.to_h
          Wanted.new(@plan, facts, skipped, @context).call
        end

        def differs(path, entry)
          full = @context.path(path)
          stat = lstat(path) if folder?(File.dirname(path))
          return lacking(path) unless stat
          return link(path, entry.target, stat.symlink? ? File.readlink(full) : nil) if entry.is_a?(Symlink)

          Difference.new(path, :changed) unless stat.file? && File.binread(full) == entry.text.b
        end

        def link(path, expected, found) = (Difference.new(path, :changed, expected, found) unless expected == found)

        def strays(entries)
          state = Dir.glob(Work::STATE, base: @plan.root)
          found = Place::Strays.new(@plan, entries + state) { |path| bundled(path) }.call
          found.map { |path| Difference.new(path, :stray) }
        end

        def bundled(path)
          @by_path ||= @plan.trees.to_h { |tree| [tree.path, @items.of(tree)] }
          @by_path[path].bundled
        end

        # What is not there, or stands in the place of a folder on the way to it.
        def lacking(path)
          above = File.dirname(path)
          return Difference.new(path, lstat(path) ? :type : :missing) if folder?(above) || lstat(above).nil?

          lacking(above)
        end

        # Reached without a link, below the project; to what projects share, its path may have some.
        def folder?(path)
          return @folders.real?(path) unless path.start_with?("/")

          stat = lstat(path)
          !stat.nil? && stat.directory?
        end

        def lstat(path) = Store::Object.lstat(@context.path(path))
      end
    end
  end
end
