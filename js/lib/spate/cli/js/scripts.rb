# frozen_string_literal: true

module Spate
  module CLI
    class JS < Command
      # `spate js scripts`: which packages ask to run something when they are installed, which may, and by which list.
      class Scripts
        ROOMS = { "npm" => :Npm, "pnpm" => :Pnpm }.freeze
        # How a project allows some. npm finds the word for a name by itself.
        ALLOW = { "npm" => ["npm approve-scripts %<names>s, or ", "in package.json: \"allowScripts\": { %<list>s }"],
                  "pnpm" => ["pnpm approve-builds %<words>s, or ",
                             "in pnpm-workspace.yaml: allowBuilds: { %<list>s }"] }.freeze
        UNKNOWN = ::Spate::JS::Configuration::UnknownRegistryError
        # So much of a script is shown without --verbose.
        WIDTH = 60

        # json: what takes events, nil for people.
        def initialize(half, terminal:, json: nil)
          @half = half
          @project = half.project
          @terminal = terminal
          @json = json
        end

        # The exit code.
        def run
          asking = asking()
          return json(asking) if @json

          asking.each { |each| @terminal.out.puts Util::Terminal.plain(line(each)) }
          @terminal.out.flush
          @terminal.tell summary(asking)
          hint(asking)
          0
        end

        private

        def asking
          room = ROOMS[@project.tool] or raise another
          place = @half.place
          configuration = ::Spate::JS::Configuration.of(@project, place[:env], store: place[:store])
          plan = ::Spate::JS.const_get(room).plan(@project, configuration, @half.options)
          ::Spate::JS::Scripts.asking(plan, facts(plan), configuration)
        rescue ::Spate::JS::LeftToTool => e
          raise another(e.reasons)
        end

        # Of what this tool's packages ask for only the tool knows.
        def another(reasons = [])
          tool = ::Spate::JS::Tools.of(@project, @half.place[:env], @half.options)
          which = tool.silent? ? "no script of a dependency" : "the scripts of dependencies that the project lists"
          why = " (#{reasons.join("; ")})" if reasons.any?
          UsageError.new("#{File.basename(@project.lockfile)} is restored by #{tool.name}#{why}: it runs #{which}",
                         hint: tool.permission)
        end

        # { path => Facts }, of packages that were restored once: the store knows what is in them.
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

        # "esbuild@0.19.0  allowed (package.json allowScripts: esbuild)  postinstall: node install.js"
        def line(asking)
          state = { true => "allowed", false => "denied", nil => "not allowed" }.fetch(asking.allowed)
          state += ", its archive is #{asking.found}" if asking.found
          state += ": a list names it, and the registry is unknown" if asking.unknown
          scripts = asking.scripts.map { |event, text| "#{event}: #{shortened(text)}" }.join("; ")
          "#{asking.full_name}  #{state}#{" (#{asking.by})" if asking.by}  #{scripts}"
        end

        def shortened(text)
          text.length > WIDTH && !@terminal.verbose? ? "#{text[0, WIDTH - 1]}…" : text
        end

        def summary(asking)
          known = "#{Units.count(asking.length, "package")} #{asking.one? ? "asks" : "ask"} to run scripts, " \
                  "#{asking.count(&:allowed)} may"
          @unknown.zero? ? known : "#{known}; #{Units.count(@unknown, "package")} not restored yet, and unknown"
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

        # By the tool only where it is there.
        def ways
          tool = @project.tool
          found = ::Spate::JS::Tools::Program.find(tool, @half.place[:env]["PATH"])
          ALLOW.fetch(tool).drop(found ? 0 : 1).join
        end
      end
    end
  end
end
