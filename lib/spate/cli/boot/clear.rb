# frozen_string_literal: true

module Spate
  module CLI
    class Boot
      # `spate boot clear`
      class Clear < Subcommand
        # A builder is using the images to remove.
        class Busy < Error
          EXIT_CODE = 9

          def initialize(root)
            super("a builder is running for #{root}", hint: "try again when it has finished: spate boot status")
          end
        end

        def run
          no_operands!
          clear = ::Spate::Images::Clear.new(images)
          result = values[:all] ? clear.all : clear.application(location)
          raise Busy, location.root if result.busy

          json? ? json.call(event: :boot_cleared, files: result.files, bytes: result.bytes) : tell(result)
          0
        end

        private

        def tell(result)
          return terminal.tell("nothing to remove") if result.files.zero?

          terminal.tell "removed #{Units.count(result.files, "file")}: #{Units.bytes(result.bytes)}"
        end
      end
    end
  end
end
