# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Computes the links and bins of a plan from the contents of its packages.
      class Wanted
        # A package bundled in another package's archive (bundledDependencies).
        BUNDLED = %r{\A(.+)/node_modules/(?:@[^/]+/)?[^/]+\z}

        # facts: { path of a tree => Facts }; #call adds the facts of projects. skipped: trees that are not installed.
        # ran: paths of trees whose scripts may have changed their executables, so that facts are read from their
        # folder. The block returns whether a file that does not exist is expected.
        def initialize(plan, facts, skipped, context, ran = [], &missing)
          @plan = plan
          @facts = facts
          @skipped = skipped.to_h { |tree| [context.path(tree.path), true] }
          @context = context
          @missing = missing
          @now = facts
          @ran = ran
        end

        # Whether the result can be computed before the packages are in place.
        def computable_early?
          @plan.bins.none? { |folder| folder.style.respond_to?(:files) || inside?(folder) || bundled(folder).any? }
        end

        # { path => Symlink or TextFile }
        def call
          @plan.projects.each { |folder| read(folder) }
          @now = @facts.merge((@ran & @facts.keys).to_h { |path| [path, made(path)] }.compact) if @ran.any?
          links.merge(*@plan.bins.reject { |folder| within_skipped?(folder) }.map { |folder| bins(folder) })
        end

        private

        def links
          links = @skipped.empty? ? @plan.links : @plan.links.reject { |path, target| skipped?(path, target) }
          links.transform_values { |target| Symlink.new(target) }
        end

        # Paths of bundled packages, which are only known after the bundling package is in place.
        def bundled(folder)
          folder.packages.map(&:last).select { |path| !@facts.key?(path) && @facts.key?(path[BUNDLED, 1]) }
        end

        def inside?(folder) = folder.packages.any? { |name, _| name.nil? }

        # The BinFolder with all packages in a node_modules that an archive contained.
        def opened(folder)
          return folder unless inside?(folder)

          packages = folder.packages.flat_map do |name, path|
            next [[name, path]] if name

            found = Dir.glob("{[^@.]*,@*/[^.]*}", base: @context.path(path)).sort
            found.map { |inside| [inside, "#{path}/#{inside}"] }
          end
          folder.dup.tap { |copy| copy.packages = packages }
        end

        # Entries for a folder of bins. npm creates no link to a missing file. Its bins come from the lockfile, which
        # does not show whether a file exists.
        def bins(folder)
          folder = opened(folder)
          bundled(folder).each { |path| read(path) }
          entries = folder.style.entries(folder, @now, @plan.root)
          return entries unless folder.style.respond_to?(:files)

          files = folder.style.files(folder)
          entries.select { |path, _| there?(file = files.fetch(path)) || @missing&.call(file) }
        end

        # Whether a path exists, or will exist once a link of the plan is created.
        def there?(path)
          return true if File.exist?(@context.path(path))

          link, target = @plan.links.find { |name, _| path.start_with?("#{name}/") }
          return false unless link

          File.exist?(File.expand_path(target + path.delete_prefix(link), File.dirname(@context.path(link))))
        end

        # Reads a project's package.json, for bins and scripts.
        def read(folder)
          own = of(folder) or return
          @facts[folder] = @now[folder] = own
        end

        # Returns nil if the package.json is invalid.
        def made(tree)
          of(tree)
        rescue PackageFileError
          nil
        end

        def of(folder) = Package::Facts.of_folder(@context.path(folder))

        # Whether a folder of executables is inside a tree that is not installed.
        def within_skipped?(folder)
          path = @context.path(folder.path)
          @skipped.any? { |tree, _| path.start_with?("#{tree}/") }
        end

        def skipped?(path, target) = @skipped[File.expand_path(target, File.dirname(@context.path(path)))]
      end
    end
  end
end
