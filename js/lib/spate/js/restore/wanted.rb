# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Links and bins of a plan, once it is known what its packages have.
      class Wanted
        # A package in the node_modules that another one's archive has.
        BUNDLED = %r{\A(.+)/node_modules/(?:@[^/]+/)?[^/]+\z}

        # facts: { path of a tree => Facts }, which gets those of projects, too. skipped: trees that are not there.
        # ran: paths of trees whose scripts may have replaced what facts tell of: their executables are as their folder
        # has them. The block answers whether a file that is missing should be there.
        def initialize(plan, facts, skipped, context, ran = [], &missing)
          @plan = plan
          @facts = facts
          @skipped = skipped.to_h { |tree| [context.path(tree.path), true] }
          @context = context
          @missing = missing
          @now = facts
          @ran = ran
        end

        # Whether nothing of it is known only when the packages are in place.
        def apart?
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

        # Paths of what came in another one's archive, which is known only where it lies.
        def bundled(folder)
          folder.packages.map(&:last).select { |path| !@facts.key?(path) && @facts.key?(path[BUNDLED, 1]) }
        end

        def inside?(folder) = folder.packages.any? { |name, _| name.nil? }

        # The same with each package of a node_modules that came in an archive.
        def opened(folder)
          return folder unless inside?(folder)

          packages = folder.packages.flat_map do |name, path|
            next [[name, path]] if name

            found = Dir.glob("{[^@.]*,@*/[^.]*}", base: @context.path(path)).sort
            found.map { |inside| [inside, "#{path}/#{inside}"] }
          end
          folder.dup.tap { |copy| copy.packages = packages }
        end

        # npm makes none whose file is missing, which a package does not tell: its lockfile names them.
        def bins(folder)
          folder = opened(folder)
          bundled(folder).each { |path| read(path) }
          entries = folder.style.entries(folder, @now, @plan.root)
          return entries unless folder.style.respond_to?(:files)

          files = folder.style.files(folder)
          entries.select { |path, _| there?(file = files.fetch(path)) || @missing&.call(file) }
        end

        # A link of the plan that a path goes through may not be there yet.
        def there?(path)
          return true if File.exist?(@context.path(path))

          link, target = @plan.links.find { |name, _| path.start_with?("#{name}/") }
          return false unless link

          File.exist?(File.expand_path(target + path.delete_prefix(link), File.dirname(@context.path(link))))
        end

        # A project's package.json, of which something may be linked, or run.
        def read(folder)
          own = of(folder) or return
          @facts[folder] = @now[folder] = own
        end

        # nil where nobody can tell.
        def made(tree)
          of(tree)
        rescue PackageFileError
          nil
        end

        def of(folder) = Package::Facts.of_folder(@context.path(folder))

        # Whether a folder of executables is one of a tree that is not there.
        def within_skipped?(folder)
          path = @context.path(folder.path)
          @skipped.any? { |tree, _| path.start_with?("#{tree}/") }
        end

        def skipped?(path, target) = @skipped[File.expand_path(target, File.dirname(@context.path(path)))]
      end
    end
  end
end
