# frozen_string_literal: true

module Spate
  module CLI
    class JS < Command
      # `spate js check`: is node_modules as its lockfile has it? Changes nothing.
      class Check
        # So many are named without --verbose.
        SHOWN = 20

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
          @terminal.tell "node_modules is complete: #{Units.count(result.total, "package")}"
          0
        end

        def different(result)
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
