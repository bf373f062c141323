# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # The snapshots of a lockfile that are installed: those that the projects reach through the selected groups,
      # except optional packages that are not for this machine and snapshots that only these need.
      class Selection
        autoload :Machine, "spate/js/pnpm/selection/machine"

        # lockfile: Lockfile. groups: names of the selected Lockfile::GROUPS. machine: Machine.
        def initialize(lockfile, groups, machine)
          @lockfile = lockfile
          @snapshots = lockfile.snapshots
          @groups = groups
          @machine = machine
        end

        attr_reader :groups

        def optional? = @groups.include?("optionalDependencies")

        # Sorted [key] of packages that are not for this machine, and of packages that only these need: the `skipped` of
        # .modules.yaml.
        def unfit = @unfit ||= find_unfit

        # { key => true }: unfit ones and those left out on request.
        def skipped
          @skipped ||= begin
            all = unfit.to_h { |key| [key, true] }
            @snapshots.each { |key, each| all[key] = true if each.optional } unless optional?
            all
          end
        end

        # { key => Snapshot } of installed ones, in the lockfile's order.
        def installed
          @installed ||= begin
            reached = reach(skipped)
            @snapshots.select { |key, _| reached.key?(key) }
          end
        end

        # { key => Snapshot } for the current lockfile (.pnpm/lock.yaml), including packages that are not for this
        # machine.
        def kept
          @kept ||= begin
            left = optional? ? {} : @snapshots.select { |_, each| each.optional }
            reached = reach(left)
            @snapshots.select { |key, _| reached.key?(key) }
          end
        end

        # { alias => version } of an importer's selected groups. The first group takes precedence.
        def wanted(importer)
          %w[dependencies devDependencies optionalDependencies].each_with_object({}) do |group, all|
            next unless @groups.include?(group)

            importer.group(group).each { |name, (_, version)| all[name] ||= version }
          end
        end

        # { alias => key } of an importer's selected groups without links, development first, as pnpm orders them.
        def direct(importer)
          %w[devDependencies dependencies optionalDependencies].each_with_object({}) do |group, all|
            next unless @groups.include?(group)

            importer.group(group).sort.each do |name, (_, version)|
              snapshot = @lockfile.direct(name, version) and all[name] ||= snapshot.key
            end
          end
        end

        # Keys of installed packages in pnpm's order: depth first, where siblings count as visited before their
        # children.
        def order
          seen = {}
          roots = @lockfile.importers.each_value.flat_map { |importer| wanted_keys(importer) }
          found = []
          steps = [fresh(roots, seen)]
          until steps.empty?
            next steps.pop if steps.last.empty?

            found << (key = steps.last.shift)
            steps << fresh([*@snapshots[key].needs.values, *@snapshots[key].wants.values], seen)
          end
          found
        end

        private

        def wanted_keys(importer)
          wanted(importer).filter_map { |name, version| @lockfile.direct(name, version)&.key }
        end

        def fresh(keys, seen) = keys.select { |key| !seen.key?(key) && installed.key?(key) && seen[key] = true }

        def find_unfit
          candidates = @snapshots.each_value.select { |each| each.optional && !@machine.fit?(each) }
          return [] if candidates.empty?

          required = @machine.strict_edges? ? required(candidates.to_h { |each| [each.key, true] }) : {}
          unfit = candidates.map(&:key).reject { |key| required.key?(key) }.to_h { |key| [key, true] }
          (unfit.keys | (reach({}).keys - reach(unfit).keys)).sort
        end

        # Unfit packages that an installed package requires: pnpm 12 installs these with a warning.
        def required(unfit)
          found = {}
          seen = {}
          pending = roots { |group| group == "optionalDependencies" }
          while (key, optional = pending.shift)
            next if seen.key?(key) || (unfit.key?(key) && optional)

            found[key] = true if unfit.key?(key)
            seen[key] = true
            @snapshots[key].needs.each_value { |child| pending << [child, false] }
            @snapshots[key].wants.each_value { |child| pending << [child, true] }
          end
          found
        end

        # [[key, the block's result for the group], ...]
        def roots
          @lockfile.importers.each_value.flat_map do |importer|
            @groups.flat_map do |group|
              importer.group(group).filter_map do |name, (_, version)|
                snapshot = @lockfile.direct(name, version)
                [snapshot.key, yield(group)] if snapshot
              end
            end
          end
        end

        # { key => true } for keys that can be reached without the given ones.
        def reach(without)
          reached = {}
          pending = roots { true }.map(&:first)
          while (key = pending.pop)
            next if reached.key?(key) || without.key?(key)

            reached[key] = true
            snapshot = @snapshots[key]
            pending.concat(snapshot.needs.values)
            pending.concat(snapshot.wants.values) if optional?
          end
          reached
        end
      end
    end
  end
end
