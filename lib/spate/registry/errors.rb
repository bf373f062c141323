# frozen_string_literal: true

module Spate
  module Registry
    # The source is not http, https or file.
    class UnsupportedSource < HTTP::Error
      EXIT_CODE = 12

      def initialize(uri)
        super("unsupported source #{Util.redact(uri)}: expected http, https or file",
              hint: "use Bundler for it: bundle install")
      end
    end

    # A gem's archive does not match the lockfile or the index.
    class ChecksumMismatch < HTTP::Error
      EXIT_CODE = 7

      # origin: "CHECKSUMS of the lockfile" or the like.
      def initialize(full_name, expected:, got:, source:, origin:)
        super("#{full_name} does not match the SHA-256 in #{origin}: expected #{expected}, got #{got} " \
              "from #{Util.redact(source)}",
              hint: "the gem was changed, or the source is not the one the lockfile was made with; " \
                    "the download was discarded")
      end
    end

    # The response is not an archive, but for example an HTML page.
    class NotAnArchive < HTTP::Error
      EXIT_CODE = 8

      # found: a description of the response, e.g. `an HTML page ("Sign in")`. kind: "gem" or "package".
      def initialize(full_name, source:, found:, kind: "gem")
        super("#{Util.redact(source)} sent #{found} instead of the #{kind} #{full_name}",
              hint: "a proxy or a network's sign-in page may have responded; open the address in a browser")
      end
    end

    # The response is not a compact index, but for example an HTML page.
    class NotAnIndex < HTTP::Error
      def initialize(uri, found)
        super("#{Util.redact(uri)} sent #{found} instead of the gem index",
              hint: "a proxy or a network's sign-in page may have responded; open the address in a browser")
      end
    end

    # No source has the gem. It may have been yanked.
    class NotFound < HTTP::Error
      EXIT_CODE = 14

      attr_reader :full_name

      def initialize(full_name, sources, reason = nil)
        @full_name = full_name
        name = full_name[/\A(.+?)-\d/, 1] || full_name
        super("#{full_name} was not found at #{sources.map { |source| Util.redact(source) }.join(" or ")}" \
              "#{": #{reason}" if reason}",
              hint: "it may have been yanked: `spate update #{name}` selects another version")
      end
    end
  end
end
