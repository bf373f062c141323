# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Compares node_modules with its plan: every file of every package, links, bins, state files. Changes nothing.
      class Check
        %i[Built Extra ToolScripts].each { |name| autoload name, "spate/js/restore/check/built" }

        # One difference.
        #
        # path:: relative to the project's root
        # kind:: :missing, :changed, :type (for example a folder instead of a file) or :stray
        # expected, found:: targets of a link; nil for other paths
        Difference = Struct.new(:path, :kind, :expected, :found) do
          def to_s
            return "#{path} is a link to #{found || "nothing"}, expected #{expected}" if expected

            "#{path} #{{ missing: "is missing", changed: "was changed", type: "is of another type",
                         stray: "is not in the lockfile" }.fetch(kind)}"
          end
        end

        # differences: [Difference]. total: number of expected packages, nil without a plan. unknown: names of packages
        # whose files cannot be compared, because the store lacks them. scripted: names of packages that scripts may
        # have changed in unrecorded ways. made: paths in these packages that differ, which is not an error.
        Result = Struct.new(:differences, :total, :unknown, :scripted, :made) do
          def initialize(differences, total = nil, unknown = [], scripted = [], made = []) = super
          def ok? = differences.empty? && unknown.empty?
          # Whether the project's own tool restores the project, so that packages are not counted.
          def left? = total.nil?
        end

        # Checks a project that its own tool restores.
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

        # Returns a Result.
        def call
          @items = Supply::Items.new(@plan)
          packages = Supply::Packages.new(@context)
          packages.lacking(@items)
          look
          entries = entries()
          found = trees + entries.filter_map { |path, entry| differs(path, entry) } + strays(entries.keys)
          Result.new(found.uniq.sort_by(&:path), @plan.trees.size - @skipped.size, names(@unknown),
                     names(@private.reject { |tree| @built.known?(tree) }), @made.uniq.sort)
        end

        private

        def names(trees) = trees.map { |tree| tree.package.full_name }.uniq.sort

        # A missing optional package is not a difference: it may have failed to install.
        def look
          recorded, = Memory::Places.load(@context, @plan.root)
          @there, absent = @plan.trees.partition { |tree| folder?(tree.path) }
          @skipped, @absent = absent.partition(&:optional)
          stored, @unknown = @there.partition { |tree| @items.of(tree).stored? }
          others = ToolScripts.new(@context, @plan)
          scripted = others.paths(stored.to_h { |tree| [tree.path, @items.of(tree).facts] })
          @private, @shared = stored.partition { |tree| recorded[tree.path]&.private? || scripted.include?(tree.path) }
          builds = Scripts::Memory.new(@store, @plan.root).builds
          @built = Built.new(@store, others.any? ? builds.except(*scripted) : builds)
          @made = []
        end

        # If the project has scripts of its own, they may have written anything into packages, so extra files are
        # ignored.
        def trees
          own = Memory::Record.load(@store, @plan.root)&.summary&.key?("own")
          extra = own ? [] : @shared + @private.select { |tree| @built.known?(tree) }
          found = files(@shared + @private) + extra.flat_map { |tree| extra(tree) }
          @absent.map { |tree| lacking(tree.path) } + found
        end

        def files(trees)
          jobs = trees.map { |tree| [@context.path(tree.path), [@items.of(tree).manifest]] }
          found = Native.check_trees(jobs, @context.unpackers)
          found.filter_map { |job, _, index, kind| file(trees[job], index, kind) }
        end

        # A file with a different mtime but the same content counts as unchanged.
        def file(tree, index, kind)
          entry = @items.of(tree).manifest.entry(index)
          path = "#{tree.path}/#{entry[:path]}"
          return if kind == :changed && Store::Object.matches?(@store, entry, @context.path(path))

          return Difference.new(path, kind) unless private?(tree) && @built.by_script?(tree, path, kind)

          @made << path unless @built.known?(tree)
          nil
        end

        def private?(tree) = (@by_private ||= @private.to_h { |each| [each.path, true] }).key?(tree.path)

        def extra(tree)
          paths = Extra.new(@context.path(tree.path), @items.of(tree).manifest.paths).call
          paths = paths.map { |path| "#{tree.path}/#{path}" }
          paths.reject! { |path| @built.by_script?(tree, path, :stray) } if private?(tree)
          paths.map { |path| Difference.new(path, :stray) }
        end

        # For packages that the store lacks, the facts are read from the project.
        def entries
          facts = (@there + @absent).to_h { |tree| [tree.path, @items.of(tree).facts] }.compact
          @unknown.each do |tree|
            found = Package::Facts.of_folder(@context.path(tree.path))
            facts[tree.path] = found if found
          end
          Wanted.new(@plan, facts, @skipped, @context, @private.map(&:path)) { |path| own?(path) }.call
        end

        # Whether a file is part of a package that is not installed.
        def own?(path)
          @own ||= @absent.to_h { |tree| [tree.path, @items.of(tree).manifest&.paths.to_a] }
          @own.any? { |tree, paths| path.start_with?("#{tree}/") && paths.include?(path.delete_prefix("#{tree}/")) }
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
          state = Dir.glob(Execution::Notes::STATE, base: @plan.root)
          found = Place::Strays.new(@plan, entries + state) { |path| bundled(path) }.call
          # Ignores other files in unknown packages: only the archive has the list of its files.
          found.reject! { |path| @unknown.any? { |tree| path.start_with?("#{tree.path}/") } }
          made, found = found.partition { |path| @private.any? { |tree| made?(tree, path) } }
          @made.concat(made)
          found.map { |path| Difference.new(path, :stray) }
        end

        # Whether a script, or pnpm for one (node_modules/.tmp), may have created a path in a package.
        def made?(tree, path) = path.start_with?("#{tree.path}/") && !@built.known?(tree)

        def bundled(path)
          @by_path ||= @plan.trees.to_h { |tree| [tree.path, @items.of(tree)] }
          @by_path[path].bundled
        end

        # The difference for a missing path, or for a file that replaces one of its parent folders.
        def lacking(path)
          above = File.dirname(path)
          return Difference.new(path, lstat(path) ? :type : :missing) if folder?(above) || lstat(above).nil?

          lacking(above)
        end

        # Whether a folder below the project is reached without links. Paths in shared slots may have links.
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
