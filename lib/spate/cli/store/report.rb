# frozen_string_literal: true

module Spate
  module CLI
    class Store < Command
      # Prints the results of the store's commands as text.
      class Report
        # Names of what prune counts, if they differ from the key.
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
          result = found.ok? ? "no damage" : "#{found.damaged.length} damaged, #{mended(found)}"
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
          "#{damage.kind} #{damage.path}#{owner} was #{damage.state}: #{damage.outcome}"
        end

        def mended(found)
          "#{found.healed} healed, #{found.dropped} dropped (the next install fetches or rebuilds them)"
        end
      end
    end
  end
end
