# frozen_string_literal: true

module Spate
  module CLI
    class Boot
      # `spate boot status`
      class Status < Subcommand
        def run
          no_operands!
          facts = ::Spate::Images::Status.new(location, images: images, env: context.env).to_h
          json? ? json.call(event: :boot_status, **facts) : StatusReport.new(terminal).tell(facts)
          0
        end
      end
    end
  end
end
