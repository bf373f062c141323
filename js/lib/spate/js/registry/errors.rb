# frozen_string_literal: true

module Spate
  module JS
    module Registry
      # A page, or anything else, where an archive should be.
      class NotAnArchive < Spate::HTTP::Error
        EXIT_CODE = 8

        # found: what came instead, e.g. `an HTML page ("Sign in")`.
        def initialize(full_name, source:, found:)
          super("#{Util.redact(source)} sent #{found} instead of the package #{full_name}",
                hint: "a proxy or a network's sign-in page may have answered; open the address in a browser")
        end
      end

      # The registry's response is not a JSON object.
      class NotADocument < Spate::HTTP::Error
        EXIT_CODE = 8

        def initialize(name, source:)
          super("#{Util.redact(source)} did not return a JSON object for the package #{name}",
                hint: "a proxy or a network's sign-in page may have answered; open the address in a browser")
        end
      end

      # An address that a registry does not have: git, or an invalid address.
      class UnsupportedAddressError < LockfileError
        def initialize(package)
          super("#{package.name}: #{Util.redact(package.resolved)} is neither http, https nor a file of the project",
                hint: "let the project's own package manager install it")
        end
      end
    end
  end
end
