# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class State
        # The lockfile's text without what is not installed: pnpm's own text, entries left out.
        class CurrentLockfile
          # { hash: ..., path: ... }, of pnpm 10 and before.
          OLD_PATCH = /^(  \S.*):\n    hash: (\S+)\n    path: .*\n/

          # lockfile: Lockfile. selection: Selection. major: of pnpm, which lists importers of missing projects up to
          # version 11, and writes patches as digests since then.
          def initialize(lockfile, selection, major)
            @lockfile = lockfile
            @shortens = major > 10 && lockfile.patches.each_value.any?(Hash)
            @dropped = major < 12 ? {} : lockfile.absent
            @empty = lockfile.importers.each_value.all? { |importer| selection.wanted(importer).empty? }
            @kept = selection.kept
            @groups = selection.groups
          end

          # nil if nothing is installed.
          def text
            return if @empty
            return @lockfile.text if whole?

            @packages = @kept.each_key.to_h { |key| [DepPath.package(key), true] }
            @lockfile.text.split(/^(?=[a-zA-Z])/).map { |section| filtered(section) }.join
          end

          private

          def whole?
            @kept.size == @lockfile.snapshots.size && @groups == Lockfile::GROUPS && @dropped.empty? && !@shortens
          end

          def filtered(section)
            case section[/\A\w+/]
            when "packages" then entries(section) { |key| @packages.key?(key) }
            when "snapshots" then entries(section) { |key| @kept.key?(key) }
            when "importers" then importers(section)
            when "patchedDependencies" then @shortens ? section.gsub(OLD_PATCH, "\\1: \\2\n") : section
            else section
            end
          end

          def entries(section)
            head, *entries = section.split(/^(?=  \S)/)
            kept = entries.select { |entry| yield key(entry) }
            kept[-1] = kept[-1].sub(/\n*\z/, "\n") + trailing(section) unless kept.empty?
            [head, *kept].join
          end

          # Empty lines between this section and the next.
          def trailing(section) = "\n" * (section[/\n*\z/].size - 1)

          # "  '@a/b@1.0.0':\n" and "  a@1.0.0: {}\n"
          def key(entry)
            line = entry[/\A  (.*?)(?::| \{\}| \|-)*$/, 1]
            line.start_with?("'") ? line[1..].sub(/'.*\z/m, "") : line.sub(/:(?: .*)?\z/, "")
          end

          def importers(section)
            head, *entries = section.split(/^(?=  \S)/)
            kept = entries.reject { |entry| @dropped.key?(key(entry)) }
            kept[-1] = kept[-1].sub(/\n*\z/, "\n") + trailing(section) unless kept.empty?
            [head, *kept.map { |entry| importer(entry) }].join
          end

          def importer(entry)
            left_out = Lockfile::GROUPS - @groups
            parts = entry.split(/^(?=    \w)/)
            kept = parts.reject { |part| left_out.include?(part[/\A    (\w+):/, 1]) }
            kept[0] = kept[0].sub(/:\s*\z/, ": {}\n") if kept.size == 1 && parts.size > 1
            kept.join.sub(/\n*\z/, "\n" * entry[/\n*\z/].size)
          end
        end
      end
    end
  end
end
