# frozen_string_literal: true

module Spate
  module Registry
    # Converts a lockfile's sources to Remotes. Looks up mirrors and credentials once per run. Credentials come from the
    # address (the mirror's, or the source as written in the Gemfile), Bundler's settings or netrc, in this order. Uses
    # only core Ruby, because an install from the store also runs this code.
    class Remotes
      # Settings of the machine and the user for connections.
      attr_reader :proxy, :certificates, :trust, :freshness

      # home: Spate's folder. The block is called with (message, hint) if a file is ignored.
      def initialize(settings:, env:, home:, freshness: Index::Freshness.new, &warn)
        @freshness = freshness
        @settings = settings
        @env = env
        @warn = warn
        gemrc = HTTP::Gemrc.load(env)
        @proxy = HTTP::Proxy.new(env: env, gemrc: gemrc["http_proxy"])
        @certificates = HTTP::Certificates.new(settings: settings, gemrc: gemrc, env: env)
        @trust = Trust.new(settings: settings, proxy: @proxy, certificates: @certificates, home: home)
        @mutex = Mutex.new
        spell([])
      end

      # Adds the sources as written in the Gemfile, whose credentials are not in the lockfile. hidden: sources whose
      # credentials are not yet known. When they are first used, the block is called and returns all sources.
      def spell(sources, hidden: [], &reveal)
        @mutex.synchronize do
          @hidden = hidden.map { |source| without_userinfo(source) }
          @reveal = reveal
          @remotes = {}
          learn(sources)
        end
      end

      # The Remote of a source. source: any String, since no request is sent.
      def for(source)
        @mutex.synchronize { @remotes[source] ||= find(source) }
      end

      # Whether the Gemfile has credentials for a source.
      def spelled?(source)
        plain = without_userinfo(source)
        @mutex.synchronize { @userinfo.key?(plain) || @hidden.include?(plain) }
      end

      private

      def learn(sources)
        @userinfo = sources.to_h { |source| [without_userinfo(source), userinfo_of(source)] }.compact
      end

      def find(source)
        plain = without_userinfo(source)
        reveal if @hidden.include?(plain)
        asked = @settings.mirror_for(source).to_s
        asked = "#{asked}/" unless asked.end_with?("/")
        address = without_userinfo(asked)
        userinfo, origin = credentials(asked, plain, address)
        Remote.new(plain, address, userinfo: userinfo, origin: origin,
                                   domain: @trust.domain(plain, address, userinfo: userinfo))
      end

      def reveal
        learn(@reveal.call)
        @hidden = []
      end

      def credentials(asked, source, address)
        given = userinfo_of(asked)
        return [given, "its address"] if given
        return [@userinfo[source], "the Gemfile"] if @userinfo[source] && address == source

        host = address[Settings::Credentials::HOST, 1]
        set = @settings.credentials_for(address)
        return [set, "the setting #{host}"] if set

        found = netrc.for(host)
        found ? [found, "netrc"] : [nil, nil]
      end

      def netrc = @netrc ||= HTTP::Netrc.load(@env, &@warn)

      def userinfo_of(text) = text[%r{\A[a-z][a-z0-9+.-]*://([^/@]+)@}i, 1]

      def without_userinfo(text)
        text = text.sub(%r{\A([a-z][a-z0-9+.-]*://)[^/@]+@}i, '\1')
        text.end_with?("/") ? text : "#{text}/"
      end
    end
  end
end
