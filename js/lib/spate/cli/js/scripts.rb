# frozen_string_literal: true

module Spate
  module CLI
    class JS < Command
      # `spate js scripts`: lists packages with install scripts, which of them may run, and which list allows them.
      class Scripts
        PLANNERS = { "npm" => :Npm, "pnpm" => :Pnpm }.freeze
        # Hints for allowing scripts. npm's command accepts names of packages; the other forms need Asking#word.
        ALLOW = { "npm" => ["npm approve-scripts %<names>s, or ", "in package.json: \"allowScripts\": { %<list>s }"],
                  "pnpm" => ["pnpm approve-builds %<words>s, or ",
                             "in pnpm-workspace.yaml: allowBuilds: { %<list>s }"] }.freeze
        UNKNOWN = ::Spate::JS::Configuration::UnknownRegistryError
        # Number of a script's characters shown without --verbose.
        WIDTH = 60

        # json: receives events; nil for human-readable output.
        def initialize(half, terminal:, json: nil)
          @half = half
          @project = half.project
          @terminal = terminal
          @json = json
        end

        # Returns the exit code.
        def run
          asking = asking()
          return json(asking) if @json

          asking.each { |each| @terminal.out.puts Util::Terminal.plain(line(each)) }
          @terminal.out.flush
          @terminal.info summary(asking)
          hint(asking)
          0
        end

        private

        def asking
          planner = PLANNERS[@project.tool] or raise another
          place = @half.place
          configuration = ::Spate::JS::Configuration.of(@project, place[:env], store: place[:store])
          plan = ::Spate::JS.const_get(planner).plan(@project, configuration, @half.options)
          ::Spate::JS::Scripts.asking(plan, facts(plan), configuration)
        rescue ::Spate::JS::LeftToTool => e
          raise another(e.reasons)
        end

        # The error for a project that its own tool restores: only the tool knows which of its packages have scripts.
        def another(reasons = [])
          tool = ::Spate::JS::Tools.of(@project, @half.place[:env], @half.options)
          which = tool.silent? ? "no scripts of dependencies" : "the scripts of dependencies that the project lists"
          why = " (#{reasons.join("; ")})" if reasons.any?
          UsageError.new("`spate js scripts` cannot list this project's scripts: #{tool.name} restores it#{why}, and " \
                         "runs #{which}", hint: tool.permission)
        end

        # { path => Facts } of packages in the store or in node_modules. Counts all others in @unknown.
        def facts(plan)
          found = plan.trees.to_h { |tree| [tree.path, stored(tree) || there(tree)] }
          @unknown = found.count { |_, facts| facts.nil? }
          found.compact
        end

        def stored(tree)
          manifest = tree.package.integrity && @half.place[:store].package(tree.package.integrity.key)
          ::Spate::JS::Package::Facts.parse(manifest.facts) if manifest
        end

        def there(tree) = ::Spate::JS::Package::Facts.of_folder(File.expand_path(tree.path, @project.root))

        def json(asking)
          asking.each do |each|
            @json.call(event: :js_script, name: each.full_name, key: each.key, path: each.path, scripts: each.scripts,
                       allowed: each.allowed, by: each.by, found: each.found)
          end
          @json.call(event: :js_scripts, asking: asking.length, allowed: asking.count(&:allowed), unknown: @unknown)
          0
        end

        # A line of the list:
        # "esbuild@0.19.0  allowed (package.json allowScripts: esbuild)  postinstall: node install.js"
        def line(asking)
          state = { true => "allowed", false => "denied", nil => "not allowed" }.fetch(asking.allowed)
          state += ", its archive is #{asking.found}" if asking.found
          state += ": on a list, but the registry is unknown" if asking.unknown
          scripts = asking.scripts.map { |event, text| "#{event}: #{shortened(text)}" }.join("; ")
          "#{asking.full_name}  #{state}#{" (#{asking.by})" if asking.by}  #{scripts}"
        end

        def shortened(text)
          text.length > WIDTH && !@terminal.verbose? ? "#{text[0, WIDTH - 1]}…" : text
        end

        def summary(asking)
          known = "#{Units.count(asking.length, "package")} #{asking.one? ? "has" : "have"} scripts, " \
                  "#{asking.count(&:allowed)} may run them"
          return known if @unknown.zero?

          "#{known}; #{Units.count(@unknown, "package")} not restored yet, whose scripts are unknown"
        end

        def hint(asking)
          return if @terminal.quiet?

          @terminal.hint("#{UNKNOWN::HINT} (#{UNKNOWN::UNKNOWN})") if asking.any?(&:unknown)
          open = asking.select { |each| each.allowed.nil? && each.found.nil? && !each.unknown }
          return if open.empty?

          names, words = open.map(&:name).uniq, open.map(&:word).uniq
          @terminal.hint(format(ways, names: names.join(" "), words: words.join(" "),
                                      list: words.map { |word| "\"#{word}\": true" }.join(", ")))
        end

        # Suggests the tool's command only if the tool is installed.
        def ways
          tool = @project.tool
          found = ::Spate::JS::Tools::Program.find(tool, @half.place[:env]["PATH"])
          ALLOW.fetch(tool).drop(found ? 0 : 1).join
        end
      end
    end
  end
end
