# frozen_string_literal: true

module Spate
  module Server
    # A handler for the files of a folder. No path leaves it, through symlinks neither.
    class Files
      autoload :Conditions, "spate/server/files/conditions"
      autoload :MediaTypes, "spate/server/files/media_types"
      autoload :Range, "spate/server/files/range"

      INDEX = "index.html"
      # A pipe would block at open, a terminal would become ours.
      FLAGS = File::RDONLY | File::NONBLOCK | File::NOCTTY

      # Server::Error where the folder is none.
      def initialize(root)
        raise Error.new("#{root} is no folder", hint: "name one that exists") unless File.directory?(root)

        @root = File.realpath(root)
        @inside = @root == "/" ? "/" : "#{@root}/"
      end

      def call(request)
        return refuse_verb unless request.verb == "GET" || request.verb == "HEAD"

        path = locate(request.path) or return not_found
        file = File.open(path, FLAGS)
        respond(request, path, file)
      rescue Errno::ENOENT, Errno::ENOTDIR, Errno::ENAMETOOLONG, Errno::ELOOP, Errno::EISDIR, Errno::ENXIO
        not_found
      rescue Errno::EACCES, Errno::EPERM
        Response.text(403, "Forbidden.\n")
      end

      private

      def refuse_verb = Response.text(405, "Only GET and HEAD.\n", "allow" => "GET, HEAD")
      def not_found = Response.text(404, "Not found.\n")

      # A path of the file system for a request's, or nil.
      def locate(encoded)
        path = decode(encoded)
        return if path.nil? || path.include?("\0")

        path += INDEX if path.end_with?("/")
        real = File.realpath(File.join(@root, path))
        real if real.start_with?(@inside)
      end

      # RFC 3986, section 2.1; nil where a percent sign is followed by something else.
      def decode(path)
        return path unless path.include?("%")
        return if path.match?(/%(?!\h\h)/)

        path.b.gsub(/%\h\h/) { |code| code[1, 2].hex.chr }.force_encoding(Encoding::UTF_8)
      end

      def respond(request, path, file)
        stat = file.stat
        return redirect(request, file) if stat.directory?
        return not_found.tap { file.close } unless stat.file?

        found = Conditions.new(request, stat)
        headers = { "etag" => found.etag, "last-modified" => found.modified, "accept-ranges" => "bytes" }
        return closing(file, Response.new(304, headers)) if found.unchanged?
        return closing(file, Response.new(412, headers)) if found.failed?

        headers["content-type"] = MediaTypes.of(path)
        content(request, file, stat.size, headers, found)
      end

      def content(request, file, size, headers, found)
        range = Range.of(found.range? ? request["range"] : nil, size)
        return closing(file, unsatisfiable(size)) if range == :unsatisfiable

        status = range ? 206 : 200
        first, length = range || [0, size]
        headers["content-range"] = "bytes #{first}-#{first + length - 1}/#{size}" if range
        headers["content-length"] = length.to_s
        return closing(file, Response.new(status, headers)) if request.head?

        Response.new(status, headers, Body::FileRange.new(file, first, length))
      end

      def closing(file, response)
        file.close
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
