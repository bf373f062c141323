# frozen_string_literal: true

module Spate
  module RemoteCache
    class HTTP
      # User and password for a server. userinfo: as in a URI. origin: where they are from, in words.
      Login = Struct.new(:userinfo, :origin) do
        # Those of the address, of Bundler's settings or of netrc, in this order; nil where none has any.
        def self.of(address, settings:, env:)
          return new(address.userinfo, "its address") if address.userinfo

          set = Settings::Credentials.new(settings).for(address.to_s)
          return new(set, "the setting #{address.uri.host}") if set

          found = Spate::HTTP::Netrc.load(env).for(address.uri.hostname)
          new(found, "netrc") if found
        end

        # How to set them for a host.
        def self.hint(host)
          variable = Settings::Key.for(host)
          in_ci = "; in CI set #{variable} to the same value" if variable.match?(/\A\w+\z/)
          "bundle config set --global #{host} USER:PASSWORD (any:TOKEN if the server uses tokens)#{in_ci}"
        end

        def authorization = Spate::HTTP.basic(userinfo)

        # For the message of a refusal. A name that may be a token is not shown.
        def to_s
          user, password = userinfo.split(":", 2)
          [nil, "", "x-oauth-basic"].include?(password) ? "the user of #{origin}" : "the user #{user} of #{origin}"
        end
      end
    end
  end
end
