# frozen_string_literal: true

module NpmRegistry
  # The registry itself, on threads of this process; requests, faults and connections are GemSource's.
  class Server < GemSource::Server
    # token: that every request must carry. path: of the registry. short: see Pages. Other options are
    # GemSource::Server's: userinfo, tls, client_certificate, latency_ms, bandwidth.
    def initialize(catalog, token: nil, path: "/", short: true, **options)
      super(catalog, **options)
      @token = token
      @path = path
      @pages = Pages.new(catalog, base: path, scheme: options[:tls] ? "https" : "http", short: short)
    end

    # Makes a package (see Package) and serves it.
    def add(name, version, **recipe) = catalog.add(Package.new(name, version, **recipe))

    # See Catalog#date.
    def date(...) = catalog.date(...)

    # See Catalog#address.
    def address(...) = catalog.address(...)

    def unpublish(name, version) = catalog.remove(name, version)

    # With the path of the registry.
    def url(**options) = "#{super.delete_suffix("/")}#{@path}"

    # The address of an archive, as a lockfile has it.
    def resolved(name, version) = "#{url}#{name}/-/#{catalog.fetch(name, version).file}"

    def integrity(name, version) = catalog.fetch(name, version).integrity
    def archive(name, version) = catalog.fetch(name, version).archive

    # "//localhost:39871/", which keys in .npmrc begin with.
    def nerf_dart = url.delete_prefix("https:").delete_prefix("http:")

    private

    def allowed?(request)
      return super unless @token

      request.headers["authorization"] == "Bearer #{@token}"
    end
  end
end
