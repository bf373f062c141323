# frozen_string_literal: true

module Spate
  module CLI
    class Boot
      # `spate boot status`
      class Status < Subcommand
        def run
          no_operands!
          json? ? json.call(event: :boot_status, **facts) : print
          0
        end

        private

        def print
          return terminal.out.puts(TEMPORARY) if context.temporary?

          StatusReport.new(terminal).tell(facts)
        end

        def facts
          found = ::Spate::Images::Status.new(location, images: images, env: context.env).to_h
          return found unless context.temporary?

          found.merge(refusal: TEMPORARY, writable: false, switches: found[:switches].except("SPATE_BOOT"))
        end
      end
    end
  end
end
