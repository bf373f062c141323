# frozen_string_literal: true

module Spate
  module Server
    # A handler for the files of a folder. No path leaves it, through symlinks neither.
    class Files
      autoload :Conditions, "spate/server/files/conditions"
      autoload :Entry, "spate/server/files/entry"
      autoload :MediaTypes, "spate/server/files/media_types"
      autoload :Memory, "spate/server/files/memory"
      autoload :Range, "spate/server/files/range"

      INDEX = "index.html"
      # A pipe would block at open, a terminal would become ours.
      FLAGS = File::RDONLY | File::NONBLOCK | File::NOCTTY

      # Server::Error where the folder is none.
      def initialize(root)
        raise Error.new("#{root} is no folder", hint: "name one that exists") unless File.directory?(root)

        @root = File.realpath(root)
        @memory = Memory.new
        @inside = @root == "/" ? "/" : "#{@root}/"
      end

      def call(request)
        return refuse_verb unless request.verb == "GET" || request.verb == "HEAD"

        path = locate(request.path) or return not_found
        known = @memory.find(path, File.stat(path))
        known ? respond(request, known, nil) : open(request, path)
      rescue Errno::ENOENT, Errno::ENOTDIR, Errno::ENAMETOOLONG, Errno::ELOOP, Errno::EISDIR, Errno::ENXIO,
             Errno::EACCES, Errno::EPERM
        not_found
      end

      private

      def refuse_verb = Response.text(405, "Only GET and HEAD.\n", "allow" => "GET, HEAD")
      def not_found = Response.text(404, "Not found.\n")

      # A path of the file system for a request's, or nil. It may still lead out of the folder.
      def locate(encoded)
        path = decode(encoded)
        return if path.nil? || path.include?("\0")

        path += INDEX if path.end_with?("/")
        File.join(@root, path)
      end

      # RFC 3986, section 2.1; nil where a percent sign is followed by something else.
      def decode(path)
        return path unless path.include?("%")
        return if path.match?(/%(?!\h\h)/)

        path.b.gsub(/%\h\h/) { |code| code[1, 2].hex.chr }.force_encoding(Encoding::UTF_8)
      end

      # The path without links must lie within the folder.
      def open(request, path)
        real = File.realpath(path)
        return not_found unless real.start_with?(@inside)

        file = open_file(real) or return Response.text(403, "Forbidden.\n")
        stat = file.stat
        return redirect(request, file) if stat.directory?
        return closing(file, not_found) unless stat.file?

        respond(request, @memory.keep(path, Entry.new(stat, MediaTypes.of(path)), file), file)
      end

      def open_file(path)
        File.open(path, FLAGS)
      rescue Errno::EACCES, Errno::EPERM
        nil
      end

      # file: nil where the entry has the content.
      def respond(request, entry, file)
        found = Conditions.new(request, entry)
        headers = { "etag" => entry.etag, "last-modified" => entry.modified, "accept-ranges" => "bytes" }
        return closing(file, Response.new(304, headers)) if found.unchanged?
        return closing(file, Response.new(412, headers)) if found.failed?

        headers["content-type"] = entry.type
        content(request, entry, file, headers, found)
      end

      def content(request, entry, file, headers, found)
        size = entry.size
        range = Range.of(found.range? ? request["range"] : nil, size)
        return closing(file, unsatisfiable(size)) if range == :unsatisfiable

        first, length = range || [0, size]
        headers["content-range"] = "bytes #{first}-#{first + length - 1}/#{size}" if range
        headers["content-length"] = length.to_s
        body = request.head? ? nil : entry.body(file, first, length)
        response = Response.new(range ? 206 : 200, headers, body)
        body.is_a?(Body::FileRange) ? response : closing(file, response)
      end

      def closing(file, response)
        file&.close
        response
      end

      def unsatisfiable(size) = Response.new(416, { "content-range" => "bytes */#{size}", "content-length" => "0" })

      def redirect(request, file)
        query = request.target[request.path.length..]
        # "//host" at a target's start would name another server.
        location = "/#{request.path.sub(%r{\A/+}, "")}/#{query}"
        closing(file, Response.new(301, { "location" => location, "content-length" => "0" }))
      end
    end
  end
end
