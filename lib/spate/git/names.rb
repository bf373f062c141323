# frozen_string_literal: true

module Spate
  module Git
    # Bundler's names for the folders of a git source.
    module Names
      SHORT = 12
      # The format of a revision that Bundler writes. It is checked, because the revision is used in paths and as an
      # argument of git.
      REVISION = /\A\h{7,64}\z/

      module_function

      # Returns "rack" for "https://git.test/rack/rack.git" and "git@git.test:rack.git".
      def base(uri)
        path = plain(uri).sub(%r{\A\w+://}, "").sub(%r{\A[^/:]+:}, "")
        File.basename(path, ".git")
      end

      # "rack-0123456789ab": name of the checkout in bundler/gems, of its folder in extensions, and of its copy in
      # vendor/cache. Raises RevisionMissing for an invalid revision.
      def checkout(uri, revision)
        raise RevisionMissing.new(display(uri), revision.to_s.dump) unless REVISION.match?(revision.to_s)

        "#{base(uri)}-#{revision[0, SHORT]}"
      end

      # "rack-<SHA-1 of the address>": name of the bare clone in cache/bundler/git.
      def clone(uri)
        require "digest"
        "#{base(uri)}-#{Digest::SHA1.hexdigest(normal(plain(uri)))}"
      end

      # The address without credentials, for display.
      def display(uri) = Util.redact(uri)

      # Returns [address, "user:password" or nil]. Credentials are removed from http and https addresses. In other
      # addresses, the user is part of the address.
      def split_credentials(uri)
        match = %r{\A(https?://)([^/@]+)@}i.match(uri)
        match ? ["#{match[1]}#{match.post_match}", match[2]] : [uri, nil]
      end

      # The address as Bundler writes it to a checkout: with the user, but without passwords, placeholder passwords and
      # tokens.
      def without_password(uri)
        uri.sub(%r{\A(\w+://)([^/@]*)@}) do
          scheme = Regexp.last_match(1)
          user, password = Regexp.last_match(2).split(":", 2)
          user = password if password.nil? || %w[x x-oauth-basic].include?(password)
          "#{scheme}#{"#{user}@" if user}"
        end
      end

      # Removes a trailing slash, as Bundler does.
      def plain(uri) = uri.delete_suffix("/")

      # The address with scheme and host in lower case, or unchanged if it has no scheme.
      def normal(uri)
        return uri unless uri.match?(%r{\A\w+://})

        require "uri"
        normalized(uri)
      end

      def normalized(uri)
        URI.parse(uri).normalize.to_s.delete_suffix("/")
      rescue URI::Error
        uri
      end
    end
  end
end
