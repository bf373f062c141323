# frozen_string_literal: true

module Spate
  module CLI
    class JS < Command
      # `spate js check` of an application with an importmap: is vendor/javascript as config/importmap.rb has it?
      class Pins
        HINT = "bin/importmap pristine downloads what is pinned; remove a file that nothing pins"

        # The nearest folder, from this one upwards, that has an importmap; nil where none does.
        def self.root(folder)
          JS.upwards(folder) { |at| at if ::Spate::JS::Importmap.at?(at) }
        end

        # root: of the application. json: what takes events, nil for people.
        def initialize(root, terminal:, json: nil)
          @root = root
          @terminal = terminal
          @json = json
        end

        # The exit code.
        def run
          result = ::Spate::JS::Importmap.check(@root) or return 0
          @json ? json(result) : tell(result)
          result.ok? ? 0 : CLI::Check::INCOMPLETE
        end

        private

        def json(result)
          result.problems.each { |each| @json.call(event: :importmap_difference, **each.to_h) }
          @json.call(event: :importmap_checked, ok: result.ok?, total: result.total,
                     differences: result.problems.length)
        end

        def tell(result)
          vendor = ::Spate::JS::Importmap::VENDOR
          pins = ::Spate::JS::Importmap::FILE
          return @terminal.tell "#{vendor} is as #{pins} has it: #{Units.count(result.total, "pin")}" if result.ok?

          places = Units.count(result.problems.length, "place")
          @terminal.error("#{vendor} differs from #{pins} in #{places}",
                          details: Check.shown(result.problems, @terminal), hint: HINT)
        end
      end
    end
  end
end
