# frozen_string_literal: true

require "digest"
require "zlib"

module GemSource
  # Responds to requests from the catalog, without simulated faults. compact: whether to serve the compact index in
  # addition to RubyGems' old index.
  class Pages
    SPECS = { "specs" => :all, "latest_specs" => :latest, "prerelease_specs" => :prerelease }.freeze

    def initialize(catalog, compact: true)
      @catalog = catalog
      @compact = compact
    end

    def answer(request)
      case request.path.split("?").first
      when "/versions" then compact(request) { @catalog.versions }
      when "/names" then compact(request) { @catalog.names }
      when %r{\A/info/([^/]+)\z} then compact(request) { @catalog.info($1) }
      when %r{\A/gems/([^/]+\.gem)\z} then archive(request, $1)
      when %r{\A/(\w*specs)\.4\.8(\.gz)?\z} then specs($1, $2)
      when %r{\A/quick/Marshal\.4\.8/(.+)\.gemspec\.rz\z} then quick($1)
      else missing
      end
    end

    private

    def missing = Response.text(404, "There is nothing here.\n")

    def archive(request, file)
      path = @catalog.archive(file) or return missing
      etag = "\"#{Digest::MD5.file(path).hexdigest}\""
      return Response.new(304, { "ETag" => etag }, "") if request.headers["if-none-match"].to_s.include?(etag)

      Response.new(200, { "Content-Type" => "application/octet-stream", "ETag" => etag }, { file: path })
    end

    def compact(request)
      text = @compact ? yield : nil
      return missing unless text

      etag = "\"#{Digest::MD5.hexdigest(text)}\""
      headers = { "ETag" => etag, "Accept-Ranges" => "bytes",
                  "Repr-Digest" => "sha-256=:#{[Digest::SHA256.digest(text)].pack("m0")}:" }
      return Response.new(304, headers, "") if request.headers["if-none-match"].to_s.include?(etag)

      ranged(request, text, headers)
    end

    def ranged(request, text, headers)
      from, to = request.headers["range"].to_s.match(/\Abytes=(\d+)-(\d*)\z/)&.captures
      return Response.text(200, text, headers) unless from

      size = text.bytesize
      from = from.to_i
      return Response.text(416, "", headers.merge("Content-Range" => "bytes */#{size}")) if from >= size

      to = to.empty? ? size - 1 : [to.to_i, size - 1].min
      range = { "Content-Range" => "bytes #{from}-#{to}/#{size}" }
      Response.text(206, text.byteslice(from..to), headers.merge(range))
    end

    def specs(name, zipped)
      kind = SPECS[name] or return missing
      bytes = Marshal.dump(@catalog.tuples(kind))
      Response.new(200, { "Content-Type" => "application/octet-stream" }, zipped ? Zlib.gzip(bytes) : bytes)
    end

    def quick(full_name)
      spec = @catalog.specification(full_name) or return missing
      Response.new(200, { "Content-Type" => "application/octet-stream" }, Zlib::Deflate.deflate(Marshal.dump(spec)))
    end
  end
end
