# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Links
        # Hoists packages so that others find them without a dependency in package.json: packages of the virtual store
        # (private, in .pnpm/node_modules), or the project, too (public, in its node_modules). If several packages have
        # a name, the first in pnpm's order is hoisted: nearest to the projects, then by the slot's name.
        class Hoisting
          # name: the alias. kind: "public" or "private". snapshot: Snapshot or nil. folder: of a workspace's project,
          # or nil.
          Hoisted = Struct.new(:name, :kind, :snapshot, :folder)
          # The first version that hoists only installed packages, instead of all in the lockfile.
          OLD = [10, 12, 2].freeze

          # lockfile: Lockfile. direct: { importer's id => { alias => key } }, in pnpm's order. layout: Layout. skipped:
          # { key => true }. workspace: { project's name => folder }, {} if projects are not hoisted. reserved: names
          # that are not hoisted. settings: Settings.
          def initialize(lockfile, direct, layout, skipped, workspace, reserved, settings)
            old = settings.before?(*OLD)
            # Whether names of projects are reserved. Otherwise a package with such a name is recorded, too, but the
            # link leads to the project.
            @taking = old || !settings.before?(12, 0)
            # Older versions sort by key instead of the slot's name, and include packages that this machine cannot
            # install.
            @by_key = old
            @skipped = old ? {} : skipped
            # Packages that this machine cannot install. Only pnpm 12 visits their dependencies.
            @closed = settings.before?(12, 0) ? skipped : {}
            @snapshots = lockfile.snapshots
            @direct = direct
            @layout = layout
            @workspace = workspace
            @reserved = reserved
            @private = Matcher.new(settings.hoist_pattern || [])
            @public = Matcher.new(settings.public_hoist_pattern)
          end

          # [Hoisted, ...]
          def all
            return [] if (@private.empty? && @public.empty?) || @snapshots.empty?

            @taken = @reserved.to_h { |name| [name.downcase, true] }
            @found = []
            first, rest = entries.partition { |depth, *| depth.negative? }
            take(first)
            projects = projects()
            take_projects(projects) if @taking
            take(rest)
            @taking ? @found : @found + projects
          end

          private

          def take(entries)
            entries.each do |_, _, children|
              children.each { |name, key| consider(name, key) }
            end
          end

          def consider(name, key)
            folded = name.downcase
            return if @taken.key?(folded)

            kind = kind(name) or return
            return if @skipped.key?(key)

            @taken[folded] = true
            @found << Hoisted.new(name, kind, @snapshots[key])
          end

          def projects
            @workspace.filter_map do |name, folder|
              kind = kind(name) unless @taken.key?(name.downcase)
              Hoisted.new(name, kind, nil, folder) if kind
            end
          end

          def take_projects(projects)
            projects.each { |each| @taken[each.name.downcase] = true }
            @found.concat(projects)
          end

          def kind(name)
            return "public" if @public.match?(name)

            "private" if @private.match?(name)
          end

          # [[depth, slot, { alias => key }], ...] in order.
          def entries
            seen = {}
            roots = fresh(@direct.each_value.flat_map(&:values), seen)
            below(roots, seen).sort_by.with_index { |(depth, slot, _), at| [depth, slot, at] }.unshift([-1, "", direct])
          end

          # The depth of a package is that of the first path found by a depth-first search that visits siblings
          # together. This is pnpm's order; the path need not be the shortest.
          def below(roots, seen)
            found = []
            steps = [[roots, 0]]
            while (keys, depth = steps.pop)
              keys.each { |key| found << [depth, @by_key ? key : @layout.name(key), children(key)] }
              following = keys.map { |key| fresh(children(key).each_value, seen) }
              following.reverse_each { |each| steps << [each, depth + 1] unless each.empty? }
            end
            found
          end

          def fresh(keys, seen)
            keys.select { |key| seen.key?(key) || @closed.key?(key) ? false : seen[key] = true }
          end

          # { alias => key }: dependencies before optional ones, each group by name.
          def children(key)
            @children ||= {}
            @children[key] ||= begin
              snapshot = @snapshots[key]
              all = sorted(snapshot.needs)
              snapshot.wants.empty? ? all : all.merge(sorted(snapshot.wants))
            end
          end

          def sorted(needs)
            names = needs.keys
            names.each_cons(2).all? { |one, other| (one <=> other).negative? } ? needs : needs.sort.to_h
          end

          # Direct dependencies of all projects; names of the workspace's own projects come first.
          def direct
            all = {}
            @direct.each_value { |needs| needs.each { |name, key| all[name] ||= key } }
            all.slice(*@workspace.keys).merge(all)
          end
        end
      end
    end
  end
end
