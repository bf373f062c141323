# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # Reads the part of a compact index that an install needs: /info/NAME, one page per gem. Pages are cached on disk
      # in <home>/index/<the remote's domain>/info/ and requested again with their ETag.
      #
      # A cached page with the gem's checksum is used without a request in two cases: the source has published nothing
      # since (Published), or it never changes published gems and was queried recently (Freshness). To find out which
      # versions exist, a page is always requested.
      class CompactIndex
        # The maximum size of a page in bytes. Real pages have up to 2 MB.
        MAX_PAGE = 64 * 1024 * 1024
        NAME = /\A[a-zA-Z0-9_][\w.-]*\z/

        # folder: "<home>/index"
        def initialize(http:, retries:, folder:, freshness: Freshness.new)
          @http = http
          @retries = retries
          @folder = folder
          @freshness = freshness
          @published = Published.new(http: http, folder: folder)
          @fresh = {} # [remote, gem name] => text or nil, requested in this run
          @compact = {} # remote => whether it has a compact index
          @mutex = Mutex.new
        end

        # The Info of a package at a remote, or nil if the remote does not list the package or has no index (see #at?).
        # fresh: always sends a request. tries: number of retries; by default from the settings.
        def find(remote, package, fresh: false, tries: nil)
          found = info(kept(remote, package.name), package) unless fresh
          found&.sha256 ? found : info(page(remote, package.name, tries: tries), package)
        end

        # [Info] for all archives of a gem at a remote, or nil if the remote does not have the gem.
        def all(remote, name)
          text = page(remote, name)
          text && Info.parse(text)
        end

        # Requests the page of a gem and returns its text, or nil if the remote does not have the gem.
        def current(remote, name) = page(remote, name)

        # The cached text if the remote has published nothing since it was requested. Sends at most one request per run
        # and remote.
        def unchanged(remote, name)
          file = file(remote, name)
          time = file.time or return
          text(file) if unchanged?(remote, time)
        end

        # Whether /versions of the remote has not changed since an earlier run.
        def published?(remote) = !remote.file? && !@published.since(remote).nil?

        # The cached text, which may be outdated, or nil.
        def cached(remote, name) = (text(file(remote, name)) if NAME.match?(name))

        # Whether there is a cached page of the gem or, without a name, of any gem.
        def cached?(remote, name = nil)
          return !file(remote, name).time.nil? if name

          File.directory?(File.join(@folder, remote.domain, "info"))
        end

        # Names of the gems whose pages are cached.
        def names(remote)
          Dir.children(File.join(@folder, remote.domain, "info")).filter_map do |file|
            name = file.start_with?("=") ? [file[1..]].pack("H*") : file
            name if NAME.match?(name)
          end
        rescue SystemCallError
          []
        end

        # Records that the cached page is current.
        def confirm(remote, name) = file(remote, name).confirm(Time.now)

        # Whether the remote has a compact index. Requests one byte, once per run.
        def at?(remote)
          return false if remote.file?

          known = @mutex.synchronize { @compact[remote.domain] }
          return known unless known.nil?

          remember(@compact, remote.domain, versions?(remote))
        end

        private

        def text(file) = file.read&.last&.force_encoding(Encoding::UTF_8)

        def info(text, package) = text && Info.find(text, package)

        def kept(remote, name)
          file = file(remote, name)
          time = file.time or return
          file.read&.last if @freshness.still?(remote, time) || unchanged?(remote, time)
        end

        # Whether the remote has published nothing since `time`.
        def unchanged?(remote, time)
          return false if @freshness.again? || @freshness.unchanging?(remote)

          since = @published.since(remote)
          !since.nil? && time.between?(since, Time.now)
        end

        # The text of the current page, or nil if the remote has none (404).
        def page(remote, name, tries: nil)
          return if remote.file? || !NAME.match?(name)

          key = [remote.domain, name]
          known = @mutex.synchronize { @fresh.key?(key) ? [@fresh[key]] : nil }
          return known.first if known

          remember(@fresh, key, @retries.run(times: tries) { ask(remote, name) })
        end

        def ask(remote, name)
          # Query the ETag of /versions before the page. A change of the page in between then also changes the ETag in
          # the next run.
          @published.since(remote) unless @freshness.unchanging?(remote)
          asked = Time.now
          kept = file(remote, name)
          etag, text = kept.read
          headers = etag ? { "If-None-Match" => etag } : {}
          @http.get(remote, "info/#{name}", headers: headers, accept: [200, 304]) do |response|
            next text.tap { kept.confirm(asked) } if response.code == "304"

            body(remote, name, response).tap { |fetched| kept.write(response["ETag"], fetched, asked) }
          end
        rescue HTTP::Status::Missing
          nil
        end

        def body(remote, name, response)
          uri = remote.locate("info/#{name}")
          text = CachedPage.receive(response, uri, MAX_PAGE).force_encoding(Encoding::UTF_8)
          plausible?(text) ? text : raise(NotAnIndex.new(uri, Archive.describe(text.b)))
        end

        # Whether the text starts with a known header or with a version's line, and ends with a newline. Without this
        # check, a page from a server that sends no length might be cached although it is truncated.
        def plausible?(text)
          text.valid_encoding? && text.end_with?("\n") && text.match?(/\A(?:---\n|[0-9][\w.-]* [^\n]*\||created_at:)/)
        end

        def versions?(remote)
          @retries.run do
            @http.get(remote, "versions", headers: { "Range" => "bytes=0-0" }, accept: [200, 206]) do |response|
              response.read_body { |_| raise FirstBytes }
            end
          end
          true
        rescue FirstBytes
          true
        rescue HTTP::Status::Temporary
          raise # an error does not prove that the index is missing
        rescue HTTP::Status, NotAnIndex
          false
        end

        # Raised to stop reading a response. Closes the connection if the remote ignores ranges.
        class FirstBytes < StandardError
        end
        private_constant :FirstBytes

        def remember(memory, key, value) = @mutex.synchronize { memory[key] = value }

        def file(remote, name)
          CachedPage.new(File.join(@folder, remote.domain, "info", file_name(name)))
        end

        # Encodes upper-case letters, since some file systems ignore case.
        def file_name(name) = name.match?(/[^a-z0-9_-]/) ? "=#{name.unpack1("H*")}" : name
      end
    end
  end
end
