# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # /versions of a remote: every gem with its versions and the MD5 of its /info page, tens of megabytes that only
      # grow at the end. Cached on disk; additions are requested by range.
      #
      #   created_at: 2024-04-01T00:00:05Z
      #   ---
      #   rack 3.0.0,3.0.1 <MD5>
      #   rack -3.0.0 <MD5>          (yanked; later lines win)
      class Versions
        URL = "versions"
        # In bytes. Real files have some 25 MB.
        MAX = 256 << 20
        SHA256 = /sha-256=(?::([^:]+):|"?([^",\s]+)"?)/i

        # folder: "<home>/index"
        def initialize(http:, retries:, folder:)
          @http = http
          @retries = retries
          @folder = folder
        end

        # { gem name => MD5 of its /info page } after an update; nil if the remote has no compact index.
        def checksums(remote)
          body = text(remote)&.split("\n---\n", 2)&.last or return
          body.each_line(chomp: true).with_object({}) do |line, found|
            name, _, md5 = line.split(" ", 3)
            found[name] = md5 if md5 # some servers send blank lines
          end
        end

        # Checksums, after an update; nil if the remote has no compact index.
        def lookup(remote)
          file = file(remote)
          return unless unchanged?(remote, file) || text(remote)

          Checksums.new(file, "#{file.path}-md5")
        end

        # Whether /versions was fetched before.
        def cached?(remote) = !file(remote).head.nil?

        # The whole text, after an update.
        def text(remote)
          file = file(remote)
          etag, kept = file.read
          @retries.run { (kept && grow(remote, file, etag, kept)) || whole(remote, file) }
        rescue HTTP::Status::Missing
          nil
        end

        private

        def file(remote) = CachedPage.new(File.join(@folder, remote.domain, URL))

        # Asks with one byte, so that an unchanged file is not read.
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

        # The cached text with later additions; nil unless they certainly fit together. The range starts at the last
        # cached byte, so that it is never empty, and only a digest of the whole text proves that the part before is
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

        # Base64 of the SHA-256 announced by the source (RFC 9530; "Digest" is its predecessor, RFC 3230), or nil.
        def digest(response)
          match = SHA256.match(response["Repr-Digest"] || response["Digest"] || "")
          match && (match[1] || match[2])
        end

        def sha256(text) = [[Store.sha256(text)].pack("H*")].pack("m0")
      end
    end
  end
end
