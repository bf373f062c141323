# frozen_string_literal: true

module Spate
  module JS
    class Project
      # The folder above a package that has its lockfile: of pnpm by pnpm-workspace.yaml or the lockfile itself, of the
      # others by `workspaces` in package.json.
      module Workspace
        INSTALLED = %r{(?:\A|/)node_modules(?:/|\z)}
        PNPM = %w[pnpm-workspace.yaml pnpm-lock.yaml].freeze

        module_function

        # Absolute, or nil. Raises ForeignRoot where only another user's may be one.
        def root(folder)
          trust = Trust.new(folder)
          foreign, own = above(folder).partition { |at| trust.culprit(at) }
          found = own.find { |at| pnpm?(at) || member?(at, folder) }
          raise ForeignRoot, trust.culprit(foreign.first) unless found || foreign.empty?

          found
        end

        # Folders of the packages of a workspace besides its root, absolute.
        def members(root)
          left_out, taken = named(root).partition { |pattern| pattern.start_with?("!") }
          left_out = left_out.map { |pattern| pattern.delete_prefix("!") }
          found = taken.flat_map { |pattern| Dir.glob("#{pattern}/#{PACKAGE}", File::FNM_EXTGLOB, base: root) }
          found.map { |path| File.dirname(path) }.uniq
               .reject { |path| path == "." || path.match?(INSTALLED) || among?(left_out, path) }
               .map { |path| File.expand_path(path, root) }
        end

        # Patterns that a folder's own files have.
        def named(root) = npm(root) + pnpm(root)

        # The nearest first.
        def above(folder)
          above = []
          above << folder until folder == (folder = File.dirname(folder))
          above
        end

        def pnpm?(folder) = PNPM.any? { |name| File.file?(File.join(folder, name)) }

        # Patterns of package.json.
        def npm(root)
          path = File.join(root, PACKAGE)
          patterns(Project.read(path)["workspaces"], path)
        end

        # Patterns of pnpm-workspace.yaml.
        def pnpm(root)
          path = File.join(root, PNPM.first)
          return [] unless File.file?(path)

          patterns(Pnpm::Yaml.mapping(Reading.text(path), path), path)
        end

        # Whether the package.json in `at` counts `folder` among its workspaces.
        def member?(at, folder)
          return false unless File.file?(File.join(at, PACKAGE))

          relative = folder.delete_prefix("#{at.chomp("/")}/")
          left_out, taken = npm(at).partition { |pattern| pattern.start_with?("!") }
          among?(taken, relative) && !among?(left_out.map { |pattern| pattern.delete_prefix("!") }, relative)
        end

        def patterns(workspaces, path)
          workspaces = workspaces["packages"] if workspaces.is_a?(Hash)
          Braces.check(Array(workspaces).grep(String), path).map do |pattern|
            pattern.sub(%r{\A(!?)\./}, "\\1").chomp("/")
          end
        end

        def among?(patterns, relative)
          patterns.any? { |pattern| File.fnmatch?(pattern, relative, File::FNM_PATHNAME | File::FNM_EXTGLOB) }
        end
        private_class_method :above, :pnpm?, :npm, :pnpm, :member?, :patterns, :among?
      end
    end
  end
end
