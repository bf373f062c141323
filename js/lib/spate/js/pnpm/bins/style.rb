# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Bins
        # Creates the entries of a folder of executables: selects the package for each name, and creates a link or a
        # shim.
        #
        # node_path:: the folder of hoisted packages, relative to the root; OWN: only the package's folders; nil:
        #             NODE_PATH is not set
        # symlinks:: whether the entries are symbolic links instead of shims
        # absolute:: whether some paths are absolute
        # yielding:: folders of packages that lose a name to any other package
        # major:: of pnpm's version; nil: the newest
        # built:: folder of a package whose own executables are linked only if it has build scripts; or nil
        # own:: folder of the package that contains this folder; its executables are linked only if their files exist;
        #       or nil
        Style = Struct.new(:node_path, :symlinks, :yielding, :absolute, :major, :built, :own) do
          # { path => Symlink or TextFile }. folder: BinFolder. facts: #[](path) -> Facts or nil. root: the project's
          # root.
          def entries(folder, facts, root = nil)
            all = chosen(folder, facts)
            all.reject! { |_, (path, bin, found)| found.missing.include?(bin) && (!missing || path == own) }
            way = ->(to) { Layout.relative(folder.path, to, (root if absolute)) }
            all.to_h { |name, (path, bin, found)| ["#{folder.path}/#{name}", entry(way, name, path, bin, found)] }
          end

          private

          # Whether to create entries for missing files, for example in a project that is not built yet.
          def missing = newest?
          def newest? = major.nil? || major > 11

          # { name => [the package's folder, path in it, Facts] }
          def chosen(folder, facts)
            folder.packages.each_with_object({}) do |(_, path), all|
              found = facts[path]
              next if found.nil? || (path == built && !found.builds?)

              bins(found).each do |name, bin|
                next unless Style::NAME.match?(name) && !Style::CONTROL.match?(bin)

                candidate = [path, bin, found]
                all[name] = candidate if all[name].nil? || before?(name, candidate, all[name])
              end
            end
          end

          def bins(found) = found.bins.empty? ? found.folder_bins : found.bins

          # Whether `one` takes precedence for a name that both packages have. In order of priority: the project's own
          # dependency, the package with that name, the first by name (up to pnpm 11 the last), the newer version.
          def before?(name, one, other)
            ranks = [rank(name, one), rank(name, other)]
            return (ranks.first <=> ranks.last).negative? unless ranks.uniq.one?

            names = [one, other].map { |candidate| candidate.last.name.to_s }
            return (numbers(one) <=> numbers(other)).positive? if names.uniq.one?

            newest? ? names.first < names.last : Npm::Collation.key(names.first) > Npm::Collation.key(names.last)
          end

          def numbers(candidate) = candidate.last.version.to_s[/\A[\d.]+/].to_s.split(".").map(&:to_i)

          def rank(name, candidate)
            package = candidate.last.name.to_s
            owned = name == package || (Style::OWNERS[name]&.include?(package) if major.nil? || major > 10)
            [yielding.include?(candidate.first) ? 1 : 0, owned ? 0 : 1]
          end

          # way: callable that returns the relative path to a path.
          def entry(way, name, path, bin, found)
            target = way["#{path}/#{bin}"]
            return Symlink.new(target) if symlinks || name == "node"

            TextFile.new(Shim.new(target, found.shebangs[bin], node_paths(way, path)).text, 0o755)
          end

          # Relative to the bin folder: the package's own dependencies, packages beside it, hoisted packages.
          def node_paths(way, path)
            return [] unless node_path

            modules = File.dirname(path)
            modules = File.dirname(modules) if File.basename(modules).start_with?("@")
            inside = modules == "node_modules" || modules.end_with?("/node_modules")
            paths = inside ? ["#{path}/node_modules", modules] : []
            paths << node_path unless node_path == Style::OWN
            paths.uniq.map(&way)
          end
        end

        # Reopened as a class body, because Ruby looks up constants lexically.
        class Style
          NAME = /\A(?!\.{1,2}\z)[A-Za-z0-9\-_.!~*'()$]+\z/
          # For node_path: NODE_PATH contains only the folder in the package and the folder around it.
          OWN = ""
          CONTROL = /[\x00-\x1f\x7f]/
          # Executables that belong to a package with a different name, since pnpm 11.
          OWNERS = { "npx" => ["npm"], "pn" => ["pnpm", "@pnpm/exe"], "pnpm" => ["@pnpm/exe"],
                     "pnpx" => ["pnpm", "@pnpm/exe"], "pnx" => ["pnpm", "@pnpm/exe"] }.freeze
        end
      end
    end
  end
end
