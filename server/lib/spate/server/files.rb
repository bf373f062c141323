# frozen_string_literal: true

require "spate/server/native/files"

module Spate
  module Server
    # A handler that serves the files of a folder. A request cannot reach files outside of the folder, not even through
    # symlinks. See docs/files.md.
    class Files
      autoload :AcceptEncoding, "spate/server/files/accept_encoding"
      autoload :Cache, "spate/server/files/cache"
      autoload :Conditions, "spate/server/files/conditions"
      autoload :Gzip, "spate/server/files/gzip"
      autoload :Listing, "spate/server/files/listing"
      autoload :MediaTypes, "spate/server/files/media_types"
      autoload :Name, "spate/server/files/name"
      autoload :Precompressed, "spate/server/files/precompressed"
      autoload :Ranges, "spate/server/files/ranges"
      autoload :ReadAhead, "spate/server/files/read_ahead"
      autoload :Representation, "spate/server/files/representation"
      autoload :Resource, "spate/server/files/resource"
      autoload :Responder, "spate/server/files/responder"
      autoload :ThreadPool, "spate/server/files/thread_pool"

      # Raised when the file was replaced while it was being opened.
      class Replaced < StandardError
      end

      INDEX = ["index.html"].freeze
      VERBS = "GET, HEAD, OPTIONS"
      # Number of attempts for a path whose file is replaced repeatedly.
      LOOKS = 3

      # @param root [String] path of the folder
      # @param index [Array<String>] names of index files
      # @param listing [Boolean] whether a folder without an index is listed
      # @param dotfiles [Boolean] whether names that begin with a dot are served
      # @param gzip [Boolean] whether files are compressed on the fly
      # @param precompressed [Boolean] whether FILE.br, FILE.zst or FILE.gz is sent for FILE
      # @param media_types [String, nil] a file like /etc/mime.types
      # @param gzip_most [Integer] size in bytes beyond which a file is not compressed
      # @param threads [Integer] number of threads for slow work
      # @param links [Boolean] whether symlinks are followed
      # @param note [Boolean] whether serving a file updates its access time, at most once an hour
      # @raise [Error] when root is not a folder
      def initialize(root, index: INDEX, listing: true, dotfiles: false, gzip: true, precompressed: true,
                     media_types: nil, gzip_most: Gzip::MOST, threads: 2, links: true, note: false)
        @folder = folder(root, links)
        @note = note
        @index = index
        @dotfiles = dotfiles
        @types = MediaTypes.new(media_types)
        @cache = Cache.new(@folder)
        @threads = ThreadPool.new(threads)
        @gzip = Gzip.new(@threads, most: gzip_most) if gzip
        @precompressed = Precompressed.new(@folder) if precompressed
        @listing = Listing.new(@folder, @threads, dotfiles: dotfiles) if listing
        @responder = Responder.new(@threads) { |representation| read(representation) }
      end

      # Responds to a request.
      #
      # @param request [Request]
      # @param path [String] the path to serve instead of the request's path
      # @return [Response, nil] nil when the response follows later
      def call(request, path = request.path)
        verb = request.verb
        return refuse(verb) unless verb == "GET" || verb == "HEAD"

        serve(request, path, LOOKS)
      rescue Errno::EMFILE, Errno::ENFILE, Errno::ENOMEM
        Response.busy("The server is overloaded.\n")
      end

      # Ends the threads.
      #
      # @return [void]
      def close = @threads.close

      private

      def folder(root, links)
        raise Error.new("#{root} is not a directory", hint: "name an existing directory") unless File.directory?(root)

        Native::Folder.new(root, true, links)
      rescue SystemCallError => e
        raise Error.new("#{root} cannot be opened: #{Error.reason(e)}", hint: "name a readable folder")
      end

      # Handles other methods: RFC 9110, sections 9.3.7 and 15.5.6.
      def refuse(verb)
        return Response.new(204, { "allow" => VERBS }) if verb == "OPTIONS"

        Response.text(405, "Only #{VERBS}.\n", "allow" => VERBS)
      end

      def malformed = Response.text(400, "Malformed path.\n")
      def missing = Response.text(404, "Not found.\n")
      def forbidden = Response.text(403, "Forbidden.\n")

      def serve(request, path, looks)
        resource = @cache.find(path)
        return look(request, path) unless resource

        respond(request, path, resource).tap { note(resource.plain) if @note }
      rescue Replaced
        retry if (looks -= 1).positive?
        Response.busy("The file is being changed.\n")
      end

      def look(request, path)
        name = Name.of(path, dotfiles: @dotfiles)
        return name == :malformed ? malformed : missing if name.is_a?(Symbol)

        name.empty? || name.end_with?("/") ? look_into(request, path, name) : found(request, path, name)
      end

      def look_into(request, path, name)
        @index.each do |index|
          file = @folder.open("#{name}#{index}")
          return first(request, path, "#{name}#{index}", file) if !file.is_a?(Symbol) && file.file?
          return forbidden if file == :forbidden

          file.close unless file.is_a?(Symbol)
        end
        list(request, name)
      end

      def list(request, name)
        return missing unless @listing

        folder = @folder.open(name)
        return folder == :forbidden ? forbidden : missing if folder.is_a?(Symbol)
        return @listing.call(request, name, folder) if folder.directory?

        folder.close
        missing
      end

      def found(request, path, name)
        file = @folder.open(name)
        return file == :forbidden ? forbidden : missing if file.is_a?(Symbol)
        return first(request, path, name, file) if file.file?

        file.close
        file.directory? ? redirect(request) : missing
      end

      # Serves a file that is not cached yet. Closes the file here unless the response needs it.
      def first(request, path, name, file)
        type = @types.of(name)
        resource = Resource.new(name, file, type.name, type.compressible && (@gzip || @precompressed))
        keep(path, resource)
        respond(request, path, resource)
      ensure
        release(resource.plain) if resource
        note(resource.plain) if @note && resource
      end

      # Updates the access time at most once an hour, which is sufficient to find files that are no longer requested.
      def note(representation)
        seconds = representation.found.atime / 1_000_000_000
        @folder.used(representation.name) if Response::HTTPDate.second - seconds >= 3600
      end

      def keep(path, resource)
        plain = resource.plain
        plain.content = plain.found.content(Cache::SMALL) if plain.size <= Cache::SMALL
        @cache.keep(path, resource)
      end

      def respond(request, path, resource)
        accepted = resource.varies ? request["accept-encoding"] : nil
        return @responder.to(request, resource.plain) unless accepted

        AcceptEncoding.of(accepted).each do |coding|
          break if coding == "identity"

          sibling = @precompressed && coded(path, resource, coding)
          return @responder.to(request, sibling) if sibling
          return zip(request, path, resource) if coding == "gzip" && @gzip&.wanted?(request, resource)
        end
        @responder.to(request, resource.plain)
      end

      def coded(path, resource, coding)
        @precompressed.find(resource, coding) do |sibling|
          sibling.content = sibling.found.content(Cache::SMALL) if sibling.size <= Cache::SMALL
          release(sibling)
          @cache.weigh(path, resource)
        end
      end

      def zip(request, path, resource)
        @cache.weigh(path, resource)
        @gzip.call(request, resource, @responder) { read(resource.plain) }
      end

      # Returns a separate open file to read the representation from.
      def read(representation)
        just_found = representation.take
        return just_found if just_found

        file = @folder.open(representation.name)
        raise Replaced if file.is_a?(Symbol)
        return file if file.same?(representation.found)

        file.close
        raise Replaced
      end

      def release(representation) = representation.take&.close

      def redirect(request)
        query = request.target.byteslice(request.path.bytesize..)
        # "//host" at the start of a location would redirect to another server.
        location = "/#{request.path.b.sub(%r{\A/+}n, "")}/#{query.b}"
        Response.new(301, { "location" => location, "content-length" => "0" })
      end
    end
  end
end
