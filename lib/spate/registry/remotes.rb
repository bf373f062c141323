# frozen_string_literal: true

require "uri"

module Spate
  module Registry
    # Sources of a lockfile to Remotes: mirrors and credentials found once a run. Whose word counts first: the address
    # itself (the mirror's, or the source as the Gemfile spells it), Bundler's settings, netrc.
    class Remotes
      # spelled: the sources as the Gemfile spells them, for the credentials that a lockfile leaves out.
      def initialize(settings:, netrc:, spelled: [])
        @settings = settings
        @netrc = netrc
        @userinfo = spelled.to_h { |source| [without_userinfo(source), userinfo_of(source)] }.compact
        @remotes = {}
        @mutex = Mutex.new
      end

      # source: String. Raises UnsupportedSource.
      def for(source)
        @mutex.synchronize { @remotes[source] ||= find(source) }
      end

      private

      def find(source)
        plain = without_userinfo(source)
        asked = @settings.mirror_for(source).to_s
        asked = "#{asked}/" unless asked.end_with?("/")
        uri = URI(without_userinfo(asked))
        raise UnsupportedSource, uri unless %w[http https file].include?(uri.scheme)

        userinfo, origin = credentials(asked, plain, uri)
        Remote.new(plain, uri, userinfo: userinfo, origin: origin)
      rescue URI::Error
        raise UnsupportedSource, source
      end

      def credentials(asked, source, uri)
        given = userinfo_of(asked)
        return [given, "its address"] if given

        mirrored = without_userinfo(asked) != source
        return [@userinfo[source], "the Gemfile"] if @userinfo[source] && !mirrored

        set = @settings.credentials_for(uri.to_s)
        return [set, "the setting #{uri.host}"] if set

        found = @netrc.for(uri.host)
        found ? [found, "netrc"] : [nil, nil]
      end

      def userinfo_of(text) = text[%r{\A[a-z][a-z0-9+.-]*://([^/@]+)@}i, 1]

      def without_userinfo(text)
        text = text.sub(%r{\A([a-z][a-z0-9+.-]*://)[^/@]+@}i, '\1')
        text.end_with?("/") ? text : "#{text}/"
      end
    end
  end
end
