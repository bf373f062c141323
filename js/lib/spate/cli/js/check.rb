# frozen_string_literal: true

module Spate
  module CLI
    class JS < Command
      # `spate js check`: reports whether node_modules matches its lockfile. Changes nothing.
      class Check
        # Number of differences that are listed without --verbose.
        SHOWN = 20
        # From this number of packages on, the hint is `--restore all`.
        MANY = 6
        # Captures the name of the package to which a path belongs.
        PACKAGE = %r{\A(?:.*/)?node_modules/((?:@[^/]+/)?[^./@][^/]*)(/|\z)}

        # Each tool's own command for checking every file.
        SURE = { "yarn" => "yarn check --integrity, or yarn install --check-files",
                 "npm" => "npm ci", "pnpm" => "pnpm install --frozen-lockfile --force" }.freeze

        # The lines that list the differences, [String]. Shortens a long list unless --verbose is set.
        def self.shown(differences, terminal)
          return differences.map(&:to_s) if terminal.verbose? || differences.length <= SHOWN

          more = "#{Units.number(differences.length - SHOWN)} more: --verbose lists them"
          [*differences.first(SHOWN).map(&:to_s), more]
        end

        # json: receives events; nil for human-readable output.
        def initialize(half, terminal:, json: nil)
          @half = half
          @terminal = terminal
          @json = json
        end

        # Returns the exit code.
        def run
          result = @half.check
          return json(result) if @json

          result.ok? ? complete(result) : different(result)
        end

        private

        def json(result)
          result.differences.each { |each| @json.call(event: :js_difference, **each.to_h) }
          @json.call(event: :js_checked, ok: result.ok?, total: result.total, differences: result.differences.length,
                     unknown: result.unknown, scripted: result.scripted, made: result.made,
                     handed_over: (@half.project.tool_name if result.left?))
          code(result)
        end

        def code(result) = result.ok? ? 0 : CLI::Check::INCOMPLETE

        def complete(result)
          return as_left if result.left?

          @terminal.info "node_modules is complete: #{Units.count(result.total, "package")}"
          scripted(result)
          0
        end

        def as_left
          name = @half.project.tool_name
          @terminal.info "node_modules is unchanged since #{name} ran, judging by its state files and folders"
          sure = SURE[@half.project.tool]
          @terminal.hint("to check each file: #{sure}") if sure && !@terminal.quiet?
          0
        end

        def not_as_left
          name = @half.project.tool_name
          @terminal.error("node_modules has changed since #{name} ran, or was never restored", hint: "spate js")
          CLI::Check::INCOMPLETE
        end

        def different(result)
          return not_as_left if result.left?

          unknown(result.unknown) if result.unknown.any?
          return code(result) if result.differences.empty?

          places = Units.count(result.differences.length, "place")
          @terminal.error("node_modules differs from its lockfile in #{places}",
                          details: Check.shown(result.differences, @terminal),
                          hint: restoring(result.differences.map { |each| package(each) }))
          code(result)
        end

        # The package's name. nil for links, a tool's own files and unknown files, which belong to no package.
        def package(difference)
          name, inside = difference.path.match(PACKAGE)&.captures
          name unless difference.expected || (difference.kind == :stray && inside != "/")
        end

        def restoring(names)
          names = names.uniq
          "spate js --restore #{names.all? && names.length < MANY ? names.join(",") : "all"}"
        end

        def unknown(names)
          count = Units.count(names.length, "package")
          store, hint = "the store", restoring(names)
          store, hint = "the temporary store", ::Spate::Store::Temporary::HINT if @half.temporary?
          @terminal.error("#{count} not in #{store}: files were not compared", details: Check.shown(names, @terminal),
                                                                               hint: hint)
        end

        def scripted(result)
          return if result.scripted.empty? || @terminal.quiet?

          names = result.scripted.join(", ")
          @terminal.info "scripts may change files of #{names}: differences there are not errors"
          return if result.made.empty?

          result.made.first(@terminal.verbose? ? result.made.size : SHOWN).each do |path|
            @terminal.info "  #{path} differs from the package's archive; a script may have changed it"
          end
          @terminal.hint(restoring(result.made.map { |path| path[PACKAGE, 1] }))
        end
      end

      # `spate js check` of an application with an importmap: reports whether vendor/javascript matches
      # config/importmap.rb.
      class Pins
        HINT = "bin/importmap pristine downloads the pinned files; remove files that are not pinned"

        # The nearest folder, from this one upwards, with an importmap; nil if there is none.
        def self.root(folder)
          JS.find_upwards(folder) { |at| at if ::Spate::JS::Importmap.at?(at) }
        end

        # root: the application's folder. json: receives events; nil for human-readable output.
        def initialize(root, terminal:, json: nil)
          @root = root
          @terminal = terminal
          @json = json
        end

        # Returns the exit code.
        def run
          result = ::Spate::JS::Importmap.check(@root) or return 0
          @json ? json(result) : print_result(result)
          result.ok? ? 0 : CLI::Check::INCOMPLETE
        end

        private

        def json(result)
          result.problems.each { |each| @json.call(event: :importmap_difference, **each.to_h) }
          @json.call(event: :importmap_checked, ok: result.ok?, total: result.total,
                     differences: result.problems.length)
        end

        def print_result(result)
          vendor = ::Spate::JS::Importmap::VENDOR
          pins = ::Spate::JS::Importmap::FILE
          return @terminal.info "#{vendor} matches #{pins}: #{Units.count(result.total, "pin")}" if result.ok?

          places = Units.count(result.problems.length, "place")
          @terminal.error("#{vendor} differs from #{pins} in #{places}",
                          details: Check.shown(result.problems, @terminal), hint: HINT)
        end
      end
    end
  end
end
