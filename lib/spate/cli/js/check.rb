# frozen_string_literal: true

module Spate
  module CLI
    class JS < Command
      # `spate js check`: is node_modules as its lockfile has it? Changes nothing.
      class Check
        # So many are named without --verbose.
        SHOWN = 20
        # How a tool itself looks at packages.
        SURE = { "yarn" => "yarn check --integrity, or yarn install --check-files",
                 "npm" => "npm ci", "pnpm" => "pnpm install --frozen-lockfile --force" }.freeze

        # json: what takes events, nil for people.
        def initialize(half, terminal:, json: nil)
          @half = half
          @terminal = terminal
          @json = json
        end

        # The exit code.
        def run
          result = @half.check
          return json(result) if @json

          result.ok? ? complete(result) : different(result)
        end

        private

        def json(result)
          result.differences.each { |each| @json.call(event: :js_difference, **each.to_h) }
          @json.call(event: :js_checked, ok: result.ok?, total: result.total, differences: result.differences.length)
          code(result)
        end

        def code(result) = result.ok? ? 0 : CLI::Check::INCOMPLETE

        def complete(result)
          return as_left if left?(result)

          @terminal.tell "node_modules is complete: #{Units.count(result.total, "package")}"
          0
        end

        # Whether the project's own tool restored it: a look at its state is all there was. Spate itself has a plan, and
        # counts what is in it; without packages there is no node_modules to be wrong.
        def left?(result)
          project = @half.project
          result.total.zero? &&
            (!project.restorable? || ::Spate::JS::Tools.left_in_place?(project.root, @half.place[:env]))
        end

        def as_left
          name = @half.project.tool_name
          @terminal.tell "node_modules is as #{name} left it, by its own state and folders; no file was looked at"
          sure = SURE[@half.project.tool]
          @terminal.hint("to be sure: #{sure}") if sure && !@terminal.quiet?
          0
        end

        def not_as_left
          name = @half.project.tool_name
          @terminal.error("node_modules is not as #{name} left it, or nobody restored it yet", hint: "spate js")
          CLI::Check::INCOMPLETE
        end

        def different(result)
          return not_as_left unless @half.project.restorable?

          all = result.differences.map(&:to_s)
          shown = @terminal.verbose? ? all : all.first(SHOWN)
          shown << "#{Units.number(all.length - shown.length)} more: --verbose names them" if all.length > shown.length
          @terminal.error("node_modules differs from its lockfile in #{Units.count(all.length, "place")}",
                          details: shown, hint: "spate js --restore all")
          code(result)
        end
      end
    end
  end
end
