# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # Sends the files that an application names in x-sendfile (a path) or x-accel-redirect (a URI), with conditions
      # and ranges. Only files in the configured folders can be sent.
      class Sendfile
        # Raised for a file outside the configured folders.
        class Refused < StandardError
        end

        # Fields of the application that do not describe the file.
        STALE = %w[content-length content-range etag last-modified accept-ranges transfer-encoding].freeze

        # Fields of the application that describe the file, so an error response must not have them.
        OF_FILE = %w[cache-control content-disposition content-encoding content-language content-type expires].freeze

        # A folder that files may be sent from. prefix: the start of its URIs, "/files/", or nil. path: its real path,
        # with a slash at the end. folder: a Native::Folder.
        Root = Struct.new(:prefix, :path, :files, :folder)

        # folders: "DIR" or "URI=DIR". Raises Server::Error.
        def initialize(folders)
          @roots = folders.map { |text| root(*text.match(/\A(?:(.*?)=)?(.*)\z/m).captures) }
        end

        # Returns [a Root, the file's path in it], or nil without such a field. Removes both fields. Raises Refused.
        def find(fields)
          path = fields.delete("x-sendfile")
          uri = fields.delete("x-accel-redirect")
          return in_folder(path) if path

          in_uris(uri) if uri
        end

        # Returns an open Native::Found. Raises Refused.
        def open(root, name)
          found = root.folder.open(name)
          return found if !found.is_a?(Symbol) && found.file?

          found.close unless found.is_a?(Symbol)
          raise Refused, "#{root.path}#{name} cannot be read"
        end

        # Returns the Response to a GET or HEAD. Called on the reactor's thread. The block is that of Response.new.
        def respond(request, root, name, fields, &closed)
          path = "/#{name.split("/").map { |part| Files::Name.encode(part) }.join("/")}"
          found = root.files.call(request, path)
          headers = fields.except(*STALE, *(OF_FILE if found.status >= 400))
          headers.delete("content-type") if found.headers["content-type"]&.start_with?("multipart/byteranges")
          Response.new(found.status, found.headers.merge(headers), found.body, &closed)
        end

        def close
          @roots.each do |root|
            root.files.close
            root.folder.close
          end
        end

        private

        def root(uri, folder)
          if uri && !uri.start_with?("/")
            raise Error.new("#{uri} does not start with a slash", hint: "--sendfile /files=#{folder}")
          end

          files = Files.new(folder, index: [], listing: false, dotfiles: true, gzip: false, precompressed: false)
          Root.new(uri && "#{uri.delete_suffix("/")}/", "#{File.realpath(folder).delete_suffix("/")}/", files,
                   Native::Folder.new(folder))
        end

        # Resolves symlinks, because an application is often deployed in a folder that is a symlink.
        def in_folder(path)
          real = real(path)
          root = @roots.find { |known| real.start_with?(known.path) } or
            raise Refused, "x-sendfile: #{path.inspect} is outside the folders of --sendfile"
          [root, real.delete_prefix(root.path)]
        end

        def real(path)
          File.realpath(path)
        rescue SystemCallError
          File.expand_path(path) # results in 404
        end

        def in_uris(uri)
          path = uri[/\A[^?]*/]
          root = @roots.find { |known| known.prefix && path.start_with?(known.prefix) }
          name = root && Files::Name.of("/#{path.delete_prefix(root.prefix)}", dotfiles: true)
          return [root, name] if name.is_a?(String)

          raise Refused, "x-accel-redirect: #{uri.inspect} is outside the URIs of --sendfile"
        end
      end
    end
  end
end
