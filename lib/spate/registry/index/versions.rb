# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # The page /versions of a remote lists all gems with their versions and the MD5 of their /info pages. It has tens
      # of megabytes, and lines are only appended. It is cached on disk, and new lines are fetched with range requests.
      #
      #   created_at: 2024-04-01T00:00:05Z
      #   ---
      #   rack 3.0.0,3.0.1 <MD5>
      #   rack -3.0.0 <MD5>          (yanked; later lines take precedence)
      class Versions
        URL = "versions"
        # Maximum size of /versions in bytes. Real ones have about 25 MB.
        MAX = 256 << 20
        SHA256 = /sha-256=(?::([^:]+):|"?([^",\s]+)"?)/i

        # folder: "<home>/index"
        def initialize(http:, retries:, folder:)
          @http = http
          @retries = retries
          @folder = folder
        end

        # Updates the cached page and returns { gem name => MD5 of its /info page }, or nil if the remote has no compact
        # index.
        def checksums(remote)
          body = text(remote)&.split("\n---\n", 2)&.last or return
          body.each_line(chomp: true).with_object({}) do |line, found|
            name, _, md5 = line.split(" ", 3)
            found[name] = md5 if md5 # some servers send blank lines
          end
        end

        # Updates the cached page and returns Checksums, or nil if the remote has no compact index.
        def lookup(remote)
          file = file(remote)
          return unless unchanged?(remote, file) || text(remote)

          Checksums.new(file, "#{file.path}-md5")
        end

        # Whether /versions was fetched before.
        def cached?(remote) = !file(remote).head.nil?

        # Updates the cached page and returns the whole text.
        def text(remote)
          file = file(remote)
          etag, kept = file.read
          @retries.run { (kept && grow(remote, file, etag, kept)) || whole(remote, file) }
        rescue HTTP::Status::Missing
          nil
        end

        private

        def file(remote) = CachedPage.new(File.join(@folder, remote.domain, URL))

        # Whether the page is unchanged. Requests only its last byte, so that an unchanged file need not be read.
        def unchanged?(remote, file)
          etag, size = file.head
          return false unless etag

          headers = { "Range" => "bytes=#{size - 1}-", "If-None-Match" => etag }
          @retries.run do
            @http.get(remote, URL, headers: headers, accept: [200, 206, 304, 416]) do |response|
              next true if response.code == "304"

              throw HTTP::Client::DROP
            end
          end
        end

        # Fetches new lines and returns the whole text, or nil unless it is proven to be correct. The range starts at
        # the last cached byte, so it is never empty. Only a digest of the whole text proves that the cached part is
        # unchanged.
        def grow(remote, file, etag, kept)
          headers = { "Range" => "bytes=#{kept.bytesize - 1}-" }
          headers["If-None-Match"] = etag if etag
          @http.get(remote, URL, headers: headers, accept: [200, 206, 304, 416]) do |response|
            body = body(response, remote)
            case response.code
            when "304" then kept
            when "206" then appended(response, file, kept, body)
            when "200" then keep(response, file, body, remote)
            end
          end
        end

        def appended(response, file, kept, tail)
          return unless digest(response) && tail.getbyte(0) == kept.getbyte(-1)

          text = kept + tail.byteslice(1..)
          return unless sha256(text) == digest(response)

          file.write(response["ETag"], text)
          text
        end

        def whole(remote, file)
          @http.get(remote, URL) { |response| keep(response, file, body(response, remote), remote) }
        end

        def body(response, remote) = CachedPage.receive(response, remote.locate(URL), MAX)

        def keep(response, file, body, remote)
          raise NotAnIndex.new(remote.locate(URL), Archive.describe(body)) unless body.include?("---\n")

          broken = digest(response) && sha256(body) != digest(response)
          raise HTTP::Truncated.new(remote.locate(URL), nil, body.bytesize) if broken

          file.write(response["ETag"], body)
          body
        end

        # The SHA-256 in the response's Repr-Digest (RFC 9530) or Digest (RFC 3230) header, in Base64, or nil.
        def digest(response)
          match = SHA256.match(response["Repr-Digest"] || response["Digest"] || "")
          match && (match[1] || match[2])
        end

        def sha256(text) = [[Store.sha256(text)].pack("H*")].pack("m0")
      end
    end
  end
end
