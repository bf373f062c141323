# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # Stores the SHA-256 of the last download of an archive without an index, and its validators (ETag,
      # Last-Modified). With these the source can respond with 304 Not Modified. The files are in <home>/index/<the
      # remote's domain>/gems/.
      class ArchiveValidators
        # folder: "<home>/index"
        def initialize(http:, retries:, folder:)
          @http = http
          @retries = retries
          @folder = folder
        end

        # head: the response's headers (an object with []).
        def note(remote, full_name, sha256, head)
          return unless head && (head["ETag"] || head["Last-Modified"])

          file(remote, full_name).write(head["ETag"], "#{sha256}\n#{head["Last-Modified"]}\n")
        end

        # The SHA-256 of a package's archive, or nil if the archive has changed, or if it must be fetched to find out.
        def still(remote, full_name, tries: nil)
          return local(remote, full_name) if remote.file?

          etag, text = file(remote, full_name).read
          sha256, modified = text&.lines(chomp: true)
          return unless sha256

          headers = { "If-None-Match" => etag, "If-Modified-Since" => (modified unless modified.to_s.empty?) }.compact
          sha256 if @retries.run(times: tries) { same?(remote, full_name, headers) }
        end

        private

        def same?(remote, full_name, headers)
          @http.get(remote, "gems/#{full_name}.gem", headers: headers, accept: [200, 304]) do |response|
            raise Another unless response.code == "304"

            true
          end
        rescue Another, HTTP::Status::Missing
          false
        end

        # Raised to close the connection without reading the body.
        class Another < StandardError
        end
        private_constant :Another

        def local(remote, full_name)
          path = remote.path("gems/#{full_name}.gem")
          Archive.sha256(path) if File.file?(path)
        end

        def file(remote, full_name) = CachedPage.new(File.join(@folder, remote.domain, "gems", full_name))
      end
    end
  end
end
