# frozen_string_literal: true

module Spate
  module CLI
    # Prints the versions, and which library inflates archives.
    class Version < Command
      summary "Show the versions of Spate, Ruby and the platform"
      usage "spate version [--json]"
      common_options

      def run
        no_operands!
        facts = { spate: VERSION, ruby: RUBY_VERSION, platform: RUBY_PLATFORM, backend: backend }
        if json?
          json.call(event: :version, **facts)
        else
          terminal.out.puts "spate #{VERSION} (#{facts[:backend]}, ruby #{RUBY_VERSION}, #{RUBY_PLATFORM})"
        end
        0
      end

      private

      # The name and version of the inflate library: "libdeflate 1.14" or "zlib 1.2.13".
      def backend
        Native.inflate_backend
      rescue LoadError
        "extension not built"
      end
    end
  end
end
