# frozen_string_literal: true

module NpmRegistry
  # The registry's server, in threads of this process. Requests, faults and connections are GemSource's.
  class Server < GemSource::Server
    # token: required in every request. path: the registry's path. short: see Pages. Other options are
    # GemSource::Server's: userinfo, tls, client_certificate, latency_ms, bandwidth.
    def initialize(catalog, token: nil, path: "/", short: true, **options)
      super(catalog, **options)
      @token = token
      @path = path
      @pages = Pages.new(catalog, base: path, scheme: options[:tls] ? "https" : "http", short: short)
    end

    # Creates a Package and serves it.
    def add(name, version, **recipe) = catalog.add(Package.new(name, version, **recipe))

    # See Catalog#date.
    def date(...) = catalog.date(...)

    # See Catalog#address.
    def address(...) = catalog.address(...)

    def unpublish(name, version) = catalog.remove(name, version)

    # Includes the registry's path.
    def url(**options) = "#{super.delete_suffix("/")}#{@path}"

    # The address of an archive, as in a lockfile.
    def resolved(name, version) = "#{url}#{name}/-/#{catalog.fetch(name, version).file}"

    def integrity(name, version) = catalog.fetch(name, version).integrity
    def archive(name, version) = catalog.fetch(name, version).archive

    # "//localhost:39871/", the prefix of keys in .npmrc.
    def nerf_dart = url.delete_prefix("https:").delete_prefix("http:")

    private

    def allowed?(request)
      return super unless @token

      request.headers["authorization"] == "Bearer #{@token}"
    end
  end
end
