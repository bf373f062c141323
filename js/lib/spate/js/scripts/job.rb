# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # The scripts of one folder.
      #
      # key:: the lockfile's, or a project's folder
      # label:: for people: "sharp@0.33.0"
      # path:: relative to the root
      # folder:: absolute
      # scripts:: [[event, text], ...] in their order
      # tree:: Tree; nil for a project of the application's own
      # needs:: jobs that end first
      Job = Struct.new(:key, :label, :path, :folder, :scripts, :tree, :needs, keyword_init: true)

      # In the class itself, where its constants are found.
      class Job
        # Says nothing, if pnpm itself asks.
        GUARD = "npx only-allow pnpm"

        # Of a tree, nil where it runs nothing. path: absolute.
        def self.of_tree(tree, facts, folder)
          scripts = chosen(facts, Package::Facts::BUILDS)
          return if scripts.empty?

          new(key: tree.key, label: [tree.package.name, tree.package.version].compact.join("@"), path: tree.path,
              folder: folder, scripts: scripts, tree: tree, needs: [])
        end

        # Of a project: "." or the folder of a workspace's package; nil where it has none of these.
        def self.of_project(path, facts, folder, events)
          scripts = chosen(facts, events)
          return if scripts.empty?

          new(key: path, label: facts.name || (path == "." ? File.basename(folder) : path), path: path, folder: folder,
              scripts: scripts, tree: nil, needs: [])
        end

        def self.chosen(facts, events)
          return [] unless facts

          events.filter_map { |event| [event, facts.scripts[event]] if facts.scripts[event] }
                .reject { |_, text| text == GUARD }
        end
        private_class_method :chosen

        # The order of jobs, by the trees that each needs, directly or not; in a cycle the first goes first. { tree's
        # path => Job }, { tree's path => Tree }.
        def self.order(jobs, trees)
          jobs.each_value { |job| job.needs = below(job, jobs, trees) }
        end

        def self.below(job, jobs, trees)
          seen = { job.path => true }
          open = job.tree.needs.dup
          found = []
          while (path = open.pop)
            next if seen[path]

            seen[path] = true
            jobs[path] ? found << jobs[path] : open.concat(trees[path]&.needs.to_a)
          end
          found
        end
        private_class_method :below

        def optional? = !tree.nil? && tree.optional
        def own? = tree.nil?
        # Other jobs are compared by identity: needs may be a cycle.
        def ==(other) = equal?(other)
        def eql?(other) = equal?(other)
        def hash = object_id.hash
        def inspect = "#<Job #{label}>"
      end
    end
  end
end
