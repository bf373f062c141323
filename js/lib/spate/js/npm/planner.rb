# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # Makes the Plan of a project.
      class Planner
        # project: responds to root and lockfile. configuration, options: see Npm.plan.
        def initialize(project, configuration, options)
          @root = project.root
          @path = project.lockfile
          @configuration = configuration
          @options = options
          @tooling = Machine::Tooling.new(env)
          @machine = Machine.new(configuration, @tooling)
        end

        def plan
          @project = Project.new(@root)
          Left.check(@project, known_settings, @machine)
          choose_lockfile
          @warnings = Machine::DevEngines.check(@project, @machine, @tooling, force: force?)
          @lockfile = Lockfile.read(@path)
          connect
          select
          Plan.new(tool: "npm", version: @tooling.npm_version, root: @root, trees: trees, links: links, bins: bins,
                   folders: @folders, projects: projects, skipped: @skipped, rewrites: %i[gitignore hashbang],
                   inputs: inputs, state: state, warnings: @warnings.map(&:to_s), omit: omit,
                   fingerprint: fingerprint)
        end

        private

        def env = @configuration.respond_to?(:env) ? @configuration.env : ENV.to_h
        def setting(key) = @configuration[key]
        def force? = setting("force") == true
        def known_settings = @known_settings ||= Tools::KnownSettings::Npm.new(@configuration, @tooling.npm_version)

        # npm up to version 11 prefers an npm-shrinkwrap.json; later versions ignore it.
        def choose_lockfile
          return if @machine.old? || File.basename(@path) != HiddenLockfile::SHRINKWRAP

          @path = File.join(@root, "package-lock.json")
          return if Reading.file?(@path)

          raise LockfileError.new("#{@root} has an npm-shrinkwrap.json; expected a package-lock.json, the only " \
                                  "lockfile that npm #{@tooling.npm_version || "12"} reads",
                                  hint: "git mv npm-shrinkwrap.json package-lock.json")
        end

        def connect
          Graph.new(@lockfile, @project, legacy_peers: setting("legacy-peer-deps") == true).connect
          Graph::Bundles.assign_bundlers(@lockfile.places)
          @lockfile.workspaces = @project.workspaces.values
          Agreement.check(@lockfile, @project, legacy_peers: setting("legacy-peer-deps") == true,
                                               strict: setting("strict-peer-deps") == true, force: force?)
        end

        def select
          allowed = Source::Allowed.new(@lockfile, @configuration, @tooling.npm_version)
          selection = Selection.new(@lockfile, kinds: omit, machine: @machine, allowed: allowed,
                                               force: force?)
          @kept = selection.kept
          @noted = selection.noted
          @skipped = selection.skipped
          @folders = selection.folders
          refuse_engines if setting("engine-strict") == true && !force?
          allowed.check(unpacked)
          Left.check_ages(unpacked, known_settings)
        end

        # Interprets `omit` and `include`, and their earlier names, like npm.
        def omit
          return @omit if @omit

          given = setting("omit") || (env["NODE_ENV"] == "production" ? ["dev"] : [])
          omit = Array(given) + Array(@options&.omit)
          omit << "dev" if setting("production") == true || setting("only").to_s.match?(/\Aprod(?:uction)?\z/)
          omit << "optional" if setting("optional") == false
          include = Array(setting("include"))
          include += ["dev"] if setting("dev") == true || setting("also").to_s.start_with?("dev")
          @omit = omit.map(&:to_s).uniq.sort - include.map(&:to_s)
        end

        # The root's `engines` apply only if package.json has no `devEngines`.
        def refuse_engines
          asking = [*(@lockfile.root unless @project.manifest.key?(Machine::DevEngines::FIELD)), *@kept]
          found = asking.find { |place| !place.optional? && !@machine.engines?(place.data) } or return

          raise LockfileError.new("#{found.root? ? Project::PACKAGE : found.path} needs " \
                                  "#{found.data["engines"].map { |pair| pair.join(" ") }.join(", ")}; found node " \
                                  "#{@tooling.node_version} and npm #{@tooling.npm_version} (engine-strict)",
                                  hint: "use a supported version of node, or set force = true in .npmrc")
        end

        # Places that have an archive of their own: no links, and no packages inside of another archive.
        def unpacked
          @unpacked ||= @kept.reject { |place| place.link? || (place.bundler && !place.bundler.root?) }
        end

        def trees
          source = Source.new(@path)
          own = unpacked.to_h { |place| [place, true] }.compare_by_identity
          unpacked.map do |place|
            Tree.new(path: place.path, package: source.package(place), key: place.path,
                     optional: place.optional?, needs: needs(place, own))
          end
        end

        def needs(place, own)
          found = []
          place.edges&.each_slice(2) { |to, _| found << to.path if own.key?(to) }
          found
        end

        def links
          @kept.select(&:link?).to_h { |place| [place.path, relative(place)] }
        end

        # The relative path from the link's folder to its target.
        def relative(place)
          from = File.dirname(place.path).split("/")
          to = place.target.root? ? [] : place.target.path.split("/")
          same = from.zip(to).take_while { |one, other| one == other }.size
          [*[".."] * (from.size - same), *to.drop(same)].join("/")
        end

        def bins
          return [] if setting("bin-links") == false

          known = {}
          style = Bins.new(known, @kept.select(&:link?).to_h { |place| [place.path, place.target.path] })
          with_bins(known).group_by { |place| place.path[0...-place.name.size] }.map do |folder, places|
            BinFolder.new("#{folder}.bin", in_order(places).map { |place| [place.name, place.path] }, style)
          end
        end

        def with_bins(known)
          @kept.select do |place|
            bin = place.data["bin"] or next
            found = Bins.clean(bin, place.target ? place.data["name"] : place.package_name)
            known[place.path] = found unless found.empty?
          end
        end

        def in_order(places)
          return places if places.one?

          places.sort_by { |place| [place.link? ? 1 : 0, Collation.key(place.path)] }
        end

        # The project's own folders: the root, and needed folders that are not inside another one.
        def projects
          [".", *@lockfile.places.each_value.filter_map do |place|
            place.path if place.folder? && place.above&.root? && !place.outside? && place.wanted?
          end]
        end

        def inputs
          [@path, *%w[npm-shrinkwrap.json package-lock.json].map { |name| File.join(@root, name) },
           *@project.inputs, *@configuration.inputs, *JS::Project::Version.file("npm", env)].uniq
        end

        def state
          HiddenLockfile.new(@lockfile, @noted, shrinkwraps: shrinkwraps?,
                                                resolved: setting("omit-lockfile-registry-resolved") != true)
        end

        def shrinkwraps?
          @kept.any? { |place| place.entry["hasShrinkwrap"] } && @machine.old?
        end

        def fingerprint
          ["npm", omit, @machine.os, @machine.cpu, @tooling.used,
           %w[legacy-peer-deps strict-peer-deps bin-links force engine-strict os cpu libc
              omit-lockfile-registry-resolved]
             .map { |key| setting(key) }].flatten.join(" ")
        end
      end

      # Detects settings, fields and files that make npm reject a lockfile or build another tree from it. Spate leaves
      # these projects to npm.
      module Left
        # Features that change packages: fields of package.json, and files. npm supports them from version 12.
        FIELDS = %w[packageExtensions patchedDependencies].freeze
        FILES = %w[.npm-extension.mjs .npm-extension.cjs].freeze

        module_function

        # Raises LeftToTool. project: Npm::Project. settings: Tools::KnownSettings::Npm.
        def check(project, settings, machine)
          found = settings.reasons
          found += changes(project) unless machine.old?
          raise LeftToTool, found unless found.empty?
        end

        # Raises LeftToTool if npm would query the registry for a version's age. places: [Place] to fetch.
        def check_ages(places, settings)
          found = settings.ages
          return if found.empty?

          place = places.find { |each| each.entry["resolved"].nil? } or return
          raise LeftToTool, ["#{found.join(", ")}, and the lockfile has no address for #{place.path}"]
        end

        def changes(project)
          FIELDS.reject { |field| [nil, {}].include?(project.manifest[field]) } +
            FILES.select { |name| Reading.file?(File.join(project.root, name)) }
        end
      end
    end
  end
end
