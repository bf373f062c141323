# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # Whether what package.json asks for is what the lockfile has, as `npm ci` demands it. Where the lockfile's own
      # copy of what was asked for is the same, npm has seen to it already.
      class Agreement
        autoload :Overrides, "spate/js/npm/agreement/overrides"
        autoload :Spec, "spate/js/npm/agreement/spec"

        # What is asked for at one place and not there. asked: "a@^2.0.0 (package.json)". found: for people.
        Problem = Struct.new(:asked, :found) do
          def to_s = "#{asked}: #{found}"
        end

        # Raises DisagreementError. lockfile: connected by Graph.
        def self.check(lockfile, project, legacy_peers: false)
          problems = new(lockfile, project, legacy_peers).problems
          return if problems.empty?

          raise DisagreementError.new(
            "#{lockfile.path} is not what package.json asks for: #{problems.first}",
            details: problems.drop(1).map(&:to_s),
            hint: "`npm install` brings the lockfile up to date; commit it"
          )
        end

        def initialize(lockfile, project, legacy_peers)
          @lockfile = lockfile
          @project = project
          @legacy_peers = legacy_peers
        end

        # [Problem]
        def problems
          folders = @lockfile.places.each_value.select { |place| place.manifest && place.wanted? }
          folders.flat_map { |place| asked_by(place) } + workspaces + overrides
        end

        private

        def asked_by(place)
          before = asked(place.entry)
          asked(place.manifest).filter_map do |name, (spec, optional)|
            next if before[name]&.first == spec

            problem = look(place, name, spec, optional)
            Problem.new("#{name}@#{spec} (#{file(place)})", problem) if problem
          end
        end

        # { name => [what is asked for, whether it may be missing] }, of which later fields count.
        def asked(data)
          peers = @legacy_peers ? {} : data["peerDependencies"] || {}
          all = peers.to_h { |name, spec| [name, [spec, data.dig("peerDependenciesMeta", name, "optional") == true]] }
          data["dependencies"]&.each { |name, spec| all[name] = [spec, false] }
          data["optionalDependencies"]&.each { |name, spec| all[name] = [spec, true] }
          data["devDependencies"]&.each { |name, spec| all[name] = [spec, false] }
          all
        end

        # What is wrong, nil if nothing.
        def look(place, name, spec, optional)
          found = place.resolve(name)
          return optional ? nil : "the lockfile has none" unless found
          return if place.root? && @project.workspaces.key?(name)

          "the lockfile has #{found.version || "one without a version"}" unless Spec.new(spec).met?(found, place)
        end

        def file(place) = place.root? ? Project::PACKAGE : "#{place.path}/#{Project::PACKAGE}"

        # Each has its link.
        def workspaces
          root = @lockfile.root
          @project.workspaces.filter_map do |name, path|
            target = root.children&.[](name)&.target
            next if target&.path == path

            Problem.new("workspace #{name} in #{path}", "the lockfile has #{target ? target.path : "none"}")
          end
        end

        def overrides
          rules = @project.manifest["overrides"]
          rules.is_a?(Hash) ? Overrides.new(rules, @lockfile).problems : []
        end
      end
    end
  end
end
