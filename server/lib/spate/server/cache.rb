# frozen_string_literal: true

module Spate
  module Server
    # A handler for a shared cache in a folder. Implements the HTTP protocol of Bazel's remote cache (docs/cache.md).
    #
    #     Name       the name of an entry
    #     Access     read and write permissions
    #     Folder     the entries on disk
    #     Upload     an entry that is being received
    #     Uploads    coalesces concurrent uploads of one blob
    #     Collector  removes entries when the cache is full
    #     Listing    a list of the entries, for clients with write permission
    class Cache
      autoload :Access, "spate/server/cache/access"
      autoload :Collector, "spate/server/cache/collector"
      autoload :Folder, "spate/server/cache/folder"
      autoload :Listing, "spate/server/cache/folder"
      autoload :Name, "spate/server/cache/name"
      autoload :Upload, "spate/server/cache/upload"
      autoload :Uploads, "spate/server/cache/upload"

      VERBS = %w[GET HEAD PUT DELETE].freeze
      WRITING = %w[PUT DELETE].freeze
      # Default limits in bytes. LIMIT: all entries together. DOCUMENT: one document, whose content is not verified by a
      # digest.
      LIMIT = 20 << 30
      DOCUMENT = 16 << 20
      # The response to `If-None-Match: *` for an existing entry (RFC 9110, section 13.1.2).
      PRESENT = [412, "The entry already exists."].freeze

      # root: the cache's folder. limit: maximum bytes of all entries, or nil for no limit. document: maximum bytes of
      # one document. workers: number of processes that share the folder. metrics: a Monitoring::Metrics. Raises Error
      # when the folder cannot be used.
      def initialize(root, access: Access.new, limit: LIMIT, document: DOCUMENT, workers: 1, log: nil,
                     metrics: Monitoring::Metrics.new(Monitoring::Metrics.counters(1), 1))
        @access = access
        @limit = limit
        @document = document
        @log = log
        @metrics = metrics
        @folder = Folder.new(root)
        @files = Files.new(root, index: [], listing: false, gzip: false, precompressed: false, links: false, note: true)
        @uploads = Uploads.new
        @collector = Collector.new(@folder, limit, workers: workers, log: log) { |*facts| evicted(*facts) }
      end

      # Returns a Response, or nil if the handler responds later.
      def call(request)
        verb = request.verb
        return refuse_verb unless VERBS.include?(verb)

        writing = WRITING.include?(verb)
        listed = Name.folder(request.path) unless writing
        refused = @access.refusal(request, writing: writing || listed)
        return refuse(refused) if refused
        return list(request, Listing.new(@folder, listed)) if listed

        name = Name.of(request.path)
        return name ? malformed : missing unless name.is_a?(Name)

        writing ? write(request, name) : read(request, name)
      end

      # Called once a second on the reactor's thread.
      def every_second
        @uploads.every_second
        @collector.every_second
        @metrics.set(:cache_bytes, @collector.size)
      end

      def close
        @files.close
        @collector.close
      end

      private

      def missing = Response.text(404, "Not found.\n")
      def malformed = Response.text(400, "Malformed path: expected /cas/SHA-256 or /ac/KEY, in hexadecimal.\n")
      def empty(status) = Response.new(status, { "content-length" => "0" })

      # RFC 9110, section 15.5.6.
      def refuse_verb
        allowed = VERBS.join(", ")
        Response.text(405, "Only #{allowed}.\n", "allow" => allowed)
      end

      def refuse(response)
        @metrics.add(:cache_refused)
        response
      end

      def list(request, parts)
        Response.new(200, { "content-type" => "application/json", "cache-control" => "no-store" },
                     request.head? ? nil : parts)
      end

      def read(request, name)
        response = @files.call(request, "/#{name.file}")
        response = missing if response.status == 301 # the path of a directory
        @metrics.add(response.status == 404 ? :cache_misses : :cache_hits) unless request.head?
        response
      end

      def write(request, name)
        return delete(name) if request.verb == "DELETE"

        unfit = unfit(request, name)
        return refuse(unfit) if unfit
        return store(request, name) unless name.blob?

        @uploads.run(name.key, request.connection) do
          there?(request, @folder.size(name)) ? spare(request, name) : store(request, name)
        end
        nil
      end

      def unfit(request, name)
        length = request.body&.length || 0
        return Response.text(413, "More than #{most(name)} bytes.\n") if most(name) && length > most(name)
        return Response.text(400, "Parts of an entry cannot be stored.\n") if request["content-range"]
        return if [nil, "identity"].include?(request["content-encoding"])

        Response.text(415, "Entries with a content-encoding cannot be stored.\n")
      end

      def most(name) = name.blob? ? @limit : [@document, @limit].compact.min

      # Whether the blob is stored with the length that the request announces, if any. The content is not compared,
      # because a blob's name is its digest. size: bytes of the stored blob, or nil.
      def there?(request, size)
        return false if size.nil?

        length = request.body ? request.body.length : 0
        length.nil? || length == size
      end

      # Responds to an upload of an existing entry. The body is received and discarded unless the client waits for 100
      # Continue, because some clients read the response only after they have sent the body.
      def spare(request, name)
        @folder.renew(name)
        @metrics.add(:cache_spared)
        @uploads.over(name.key)
        body = request.body
        return request.answer(empty(200)) if body.nil? || body.hesitant?

        body.discard
        body.on_end { request.answer(empty(200)) }
      end

      def store(request, name)
        upload = Upload.new(@folder, name, most(name)) { |file| keep(request, file, name) }
        upload.begin(request.body) { |fault| over(request, name, upload, fault) }
        nil
      rescue SystemCallError => e
        over(request, name, upload, [*Upload.failure(e), e])
      end

      # Whether the request may only create a document, not replace one. (An existing blob is never written again.)
      def fresh?(request, name) = !name.blob? && request["if-none-match"] == "*"

      # Called when an upload is complete. Moves the file to the entry's path. Returns nil, or a status and an error
      # text.
      def keep(request, file, name)
        return PRESENT if fresh?(request, name) && @folder.size(name)

        size = file.size
        @folder.keep(file, name)
        @collector.stored(size)
        nil
      end

      def over(request, name, upload, fault)
        @metrics.add(:cache_received, upload.size)
        fault ? fail_with(request, name, *fault) : tell_stored(request)
        @uploads.over(name.key) if name.blob?
      end

      def tell_stored(request)
        @metrics.add(:cache_stored)
        request.answer(empty(201))
      end

      def fail_with(request, name, status, text = nil, error = nil)
        return if status == :lost

        @log&.call("#{name.file} cannot be stored: #{Error.reason(error)}") if error
        request.answer(refuse(Response.text(status, "#{text}\n")))
      end

      def delete(name)
        size = @folder.remove(name) or return missing

        @collector.removed(size)
        empty(204)
      rescue SystemCallError => e
        @log&.call("#{name.file} cannot be removed: #{Error.reason(e)}")
        Response.failure
      end

      def evicted(count, bytes)
        @metrics.add(:cache_evicted, count)
        @metrics.add(:cache_evicted_bytes, bytes)
      end
    end
  end
end
