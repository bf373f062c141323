# frozen_string_literal: true

require "json"

module NpmRegistry
  # Responds to requests from the catalog, without simulated faults.
  class Pages
    PATH = %r{\A/(@[^/]+/[^/]+|[^/@][^/]*)(?:/-/([^/]+))?\z}

    # The Accept header of requests for documents without dates.
    SHORT = "application/vnd.npm.install-v1+json"

    # base: the path of the registry, with its slashes. scheme: "http" or "https". short: whether there are documents
    # without dates.
    def initialize(catalog, base:, scheme:, short: true)
      @catalog = catalog
      @base = base
      @scheme = scheme
      @short = short
    end

    def answer(request)
      path = request.path.split("?").first.gsub(/%2f/i, "/").gsub("%40", "@")
      return missing unless path.start_with?(@base)

      name, file = PATH.match("/#{path.delete_prefix(@base)}")&.captures
      return missing unless name && request.verb != "POST"

      file ? archive(name, file) : document(name, request)
    end

    private

    def missing = json(404, { "error" => "Not found" })

    def archive(name, file)
      bytes = @catalog.archive(name, file) or return missing
      GemSource::Response.new(200, { "Content-Type" => "application/octet-stream" }, bytes)
    end

    def document(name, request)
      found = @catalog.document(name) { |one| "#{@scheme}://#{request.host}#{@base}#{one.name}/-/#{one.file}" }
      return missing unless found

      short = @short && request.headers["accept"].to_s.start_with?(SHORT)
      json(200, short ? found.slice("name", "dist-tags", "modified", "versions") : found)
    end

    def json(status, value)
      GemSource::Response.new(status, { "Content-Type" => "application/json" }, JSON.generate(value))
    end
  end
end
