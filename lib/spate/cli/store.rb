# frozen_string_literal: true

module Spate
  module CLI
    # `spate store`: manages the machine's store. Does not need a bundle.
    class Store < Command
      SUBCOMMANDS = %w[status verify prune forget path].freeze
      DAMAGED = 9

      summary "Manage the store that all projects share"
      usage "spate store status           show its contents and the projects that use it"
      usage "spate store verify           read everything, repair damage"
      usage "spate store prune            remove entries that no project uses"
      usage "spate store forget GEM ...   rebuild the gem at its next installation"
      usage "spate store path             print its path"
      option :older_than, "--older-than", "AGE", "prune: only entries unused for this long; default: 30d"
      option :dry_run, "--dry-run", "prune, verify: only print what would be done"
      option :store, "--store", "DIR", "the store's home, instead of $SPATE_HOME or the cache folder"
      common_options
      example "spate store prune --older-than 2w --dry-run", "show how much could be freed"
      example "spate store forget nokogiri", "remove builds of all versions; nokogiri-1.16.0 selects one"
      note "AGE is a number and s, m, h, d or w. Prune does not remove files from projects."

      def run
        name, rest = Subcommand.choose("spate store", operands, SUBCOMMANDS)
        return forget(rest) if name == "forget"

        unless rest.empty?
          raise UsageError.new("`spate store #{name}` takes no operands, got #{rest.first.inspect}",
                               hint: "spate store --help")
        end

        send(name)
      end

      private

      # names: GEM or GEM-VERSION.
      def forget(names)
        raise UsageError.new("`spate store forget` needs a gem", hint: "spate store forget nokogiri") if names.empty?

        invalidations = Build::Cache::Invalidations.of(store)
        found = names.flat_map do |name|
          invalidations.matching(name).tap { |all| print_missing(name) if all.empty? }
        end.uniq
        found.each { |full_name| invalidations.forget(full_name) }
        lines = found.map { |full_name| "removed the builds of #{Util::Terminal.plain(full_name)}" }
        json? ? json.call(event: :store_forgotten, builds: found) : terminal.out.puts(lines)
        0
      end

      def print_missing(name) = terminal.info("the store has no build of #{Util::Terminal.plain(name)}")

      def store = context.store

      def path
        json? ? json.call(event: :store, path: store.root) : terminal.out.puts(store.root)
        0
      end

      def status
        found = ::Spate::Store::Status.new(store).call
        json? ? json.call(event: :store_status, **found.to_h) : Report.new(terminal.out).status(found)
        0
      end

      def verify
        found = ::Spate::Store::Verify.new(store, events: events, dry_run: values[:dry_run]).call
        if json?
          json.call(event: :store_verified, ok: found.ok?, **found.to_h)
        else
          Report.new(terminal.out).verified(found)
        end
        found.damaged.any? { |damage| damage.outcome == :found } ? DAMAGED : 0
      end

      def prune
        age = values[:older_than]
        age = age ? ::Spate::Store::Prune.duration(age) : ::Spate::Store::Prune::DEFAULT_AGE
        found = ::Spate::Store::Prune.new(store, older_than: age, dry_run: values[:dry_run], events: events,
                                                 compile_caches: method(:compile_caches)).call
        json? ? json.call(event: :store_pruned, **found.to_h) : Report.new(terminal.out).pruned(found)
        0
      end

      def compile_caches(root, now, age)
        require "spate/native/boot"
        ::Spate::CompileCache::Prune.new(root, now: now, gone: age).removable
      rescue LoadError
        [] # built without support for compile caches, so there are none
      end

      def events
        Events.new.tap { |events| events.subscribe { |event| json.call(event) } if json? }
      end

      # Prints the results of the `spate store` commands as text.
      class Report
        # Nouns for the counts of prune that differ from their key.
        OUTCOMES = { healed: "repaired", dropped: "removed", found: "not repaired" }.freeze
        NOUNS = { slots: "shared tree", temporaries: "unfinished file", projects: "project record" }.freeze

        def initialize(out)
          @out = out
        end

        # found: Spate::Store::Status::Result
        def status(found)
          @out.puts "#{found.path}#{" (read-only)" unless found.writable}", ""
          { "gems" => found.gems, "JavaScript packages" => found.javascript, "  of no project" => found.unused,
            "objects" => found.objects, "  linked by a project" => found.linked,
            "  named by no package" => found.unreferenced, "manifests" => found.packages, "builds" => found.builds,
            "shared trees" => found.slots, "archives" => found.archives, "compile caches" => found.compile_caches,
            "unfinished" => found.temporaries }.each { |name, tally| tally(name, tally) }
          @out.puts format("%-22s %10s %12s", "total", "", Units.bytes(found.bytes))
          projects(found.projects)
        end

        # found: Spate::Store::Verify::Result
        def verified(found)
          found.damaged.each { |damage| @out.puts Util::Terminal.plain(damaged(damage)) }
          seen = [Units.count(found.objects, "object"), Units.bytes(found.bytes),
                  Units.count(found.packages, "package"), Units.count(found.builds, "build"),
                  Units.count(found.archives, "archive")].join(", ")
          result = found.ok? ? "no damage" : "#{found.damaged.length} damaged, #{totals(found)}"
          @out.puts "#{seen}: #{result} (#{Units.seconds(found.seconds)})"
        end

        # found: Spate::Store::Prune::Result
        def pruned(found)
          counts = %i[projects packages builds slots archives compile_caches objects temporaries].filter_map do |name|
            number = found[name].to_i
            noun = NOUNS.fetch(name) { name.to_s.delete_suffix("s") }
            Units.count(number, noun) if number.positive?
          end
          return @out.puts "nothing to remove" if counts.empty?

          @out.puts "#{found.dry_run ? "would remove" : "removed"} #{counts.join(", ")}: #{Units.bytes(found.bytes)}"
        end

        private

        def tally(name, tally)
          return if tally.files.zero?

          @out.puts format("%-22s %10d %12s", name, tally.files, Units.bytes(tally.bytes))
        end

        def projects(projects)
          return if projects.empty?

          @out.puts "", "#{Units.count(projects.length, "project")}:"
          bundles = projects.map(&:app).tally
          projects.sort_by { |project| [project.app, project.root] }.each do |project|
            noun = project.javascript ? "JavaScript package" : "gem"
            facts = "#{Units.count(project.packages, noun)}, installed #{day(project.time)}"
            facts += ", in #{project.root}" if bundles[project.app] > 1 || project.sharing > 1
            facts += ", shared by #{project.sharing} projects" if project.sharing > 1
            facts += " (its folder is missing)" unless project.exists
            @out.puts Util::Terminal.plain("  #{project.app}  #{facts}")
          end
        end

        def day(seconds) = Time.at(seconds).strftime("%Y-%m-%d")

        def damaged(damage)
          owner = damage.package ? " of #{damage.package[0, 12]}" : ""
          "#{damage.kind} #{damage.path}#{owner} was #{damage.state}: #{OUTCOMES.fetch(damage.outcome)}"
        end

        def totals(found)
          "#{found.healed} repaired, #{found.dropped} removed (the next install fetches or rebuilds them)"
        end
      end
    end
  end
end
