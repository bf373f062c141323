# frozen_string_literal: true

module Spate
  module CLI
    # Names of files are bytes, and nearly always UTF-8. In the C locale of most containers Ruby takes them for ASCII,
    # and cannot join or cut one that is not. Spate's own process then takes all text for UTF-8; its children have the
    # user's locale. Not for commands that run a program of the user's in this process.
    module Locale
      FOREIGN = %w[serve].freeze

      module_function

      # Answers [argv, env] to go on with.
      def settle(argv, env)
        return [argv, env] if Encoding.default_external != Encoding::US_ASCII || FOREIGN.include?(argv.first)

        quietly { Encoding.default_external = Encoding::UTF_8 }
        [argv.map { |word| utf8(word) }, env.to_h.transform_values { |value| utf8(value) }]
      end

      # Ruby warns of a changed encoding under -w.
      def quietly
        verbose = $VERBOSE
        $VERBOSE = nil
        yield
      ensure
        $VERBOSE = verbose
      end
      private_class_method :quietly

      def utf8(text) = text.dup.force_encoding(Encoding::UTF_8)
      private_class_method :utf8
    end
  end
end
