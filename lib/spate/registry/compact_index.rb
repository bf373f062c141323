# frozen_string_literal: true

module Spate
  module Registry
    # The compact index of remotes, as far as an install asks for it: /info/NAME, one page a gem, kept on disk under
    # <home>/index/<SHA-256 of the remote's address>/info/ and asked for again by ETag.
    #
    # What is published under a version never changes, so a kept page that lists a gem's checksum is believed without a
    # request. A page that is to tell which versions there are is always asked for.
    class CompactIndex
      # Real pages reach 2 MB.
      MAX_PAGE = 64 * 1024 * 1024
      NAME = /\A[a-zA-Z0-9_][\w.-]*\z/

      # folder: "<home>/index"
      def initialize(exchange:, retries:, folder:)
        @exchange = exchange
        @retries = retries
        @folder = folder
        @fresh = {} # [remote, gem name] => text or nil, asked for in this run
        @compact = {} # remote => whether it has a compact index at all
        @mutex = Mutex.new
      end

      # Info of a package at a remote, nil where the remote does not list it (or has no index: see #at?).
      # fresh: asks, whatever is kept.
      def find(remote, package, fresh: false)
        unless fresh
          kept = file(remote, package.name).read&.last
          found = kept && Info.find(kept, package.version.to_s, package.platform.to_s)
          return found if found&.sha256
        end
        text = page(remote, package.name)
        text && Info.find(text, package.version.to_s, package.platform.to_s)
      end

      # All archives of a gem at a remote: Array of Info, nil where the remote does not know the gem.
      def all(remote, name)
        text = page(remote, name)
        text && Info.parse(text)
      end

      # Whether the remote has a compact index: asked with one byte, once a run.
      def at?(remote)
        return false if remote.file?

        known = @mutex.synchronize { @compact[remote.uri.to_s] }
        return known unless known.nil?

        remember(@compact, remote.uri.to_s, versions?(remote))
      end

      private

      # The current page, nil where there is none (404).
      def page(remote, name)
        return if remote.file? || !NAME.match?(name)

        key = [remote.uri.to_s, name]
        known = @mutex.synchronize { @fresh.key?(key) ? [@fresh[key]] : nil }
        return known.first if known

        remember(@fresh, key, @retries.run { ask(remote, name) })
      end

      def ask(remote, name)
        kept = file(remote, name)
        etag, text = kept.read
        headers = etag ? { "If-None-Match" => etag } : {}
        @exchange.get(remote, "info/#{name}", headers: headers, accept: [200, 304]) do |response|
          next text if response.code == "304"

          body(remote, name, response).tap { |fetched| kept.write(response["ETag"], fetched) }
        end
      rescue Status::Missing
        nil
      end

      def body(remote, name, response)
        text = String.new(encoding: Encoding::BINARY)
        response.read_body do |chunk|
          text << chunk
          raise NotAnIndex.new(remote.locate("info/#{name}"), "over #{MAX_PAGE} bytes") if text.bytesize > MAX_PAGE
        end
        text.force_encoding(Encoding::UTF_8)
        return text if plausible?(text)

        raise NotAnIndex.new(remote.locate("info/#{name}"), Archive.describe(text.b))
      rescue Zlib::Error
        raise Truncated.new(remote.locate("info/#{name}"), nil, text.bytesize)
      end

      # Starts as an index does, or with a line that has a version and a "|". And it ends where a line does: a page cut
      # off by a server that announces no length would otherwise be kept.
      def plausible?(text)
        text.valid_encoding? && text.end_with?("\n") && text.match?(/\A(?:---\n|[0-9][\w.-]* [^\n]*\||created_at:)/)
      end

      def versions?(remote)
        @retries.run do
          @exchange.get(remote, "versions", headers: { "Range" => "bytes=0-0" }, accept: [200, 206]) do |response|
            response.read_body { |_| raise FirstBytes }
          end
        end
        true
      rescue FirstBytes
        true
      rescue Status, NotAnIndex
        false
      end

      # Enough was read; the connection ends here when the remote ignores ranges.
      class FirstBytes < StandardError
      end
      private_constant :FirstBytes

      def remember(memory, key, value) = @mutex.synchronize { memory[key] = value }

      def file(remote, name)
        IndexFile.new(File.join(@folder, source_key(remote), "info", file_name(name)))
      end

      # Names that differ only in case would meet on some file systems.
      def file_name(name) = name.match?(/[^a-z0-9_-]/) ? "=#{name.unpack1("H*")}" : name

      def source_key(remote)
        @mutex.synchronize { (@keys ||= {})[remote.uri.to_s] ||= Store.sha256(remote.uri.to_s) }
      end
    end
  end
end
