# frozen_string_literal: true

module Spate
  module Server
    class Files
      # A request's path as a name in the folder: RFC 3986, section 2.1, strictly. "/a%20b/" is "a b/".
      module Name
        # Neither has a meaning in a path, and careless readers give both one.
        FORBIDDEN = /[\0\\]/n
        BAD_ESCAPE = /%(?!\h\h)/n
        # "", ".", "..", ".git": dot segments are the client's to remove (section 5.2.4), the rest is hidden.
        HIDDEN = %r{(?:\A|/)\.}n
        DOTS = %r{(?:\A|/)\.\.?(?:/|\z)}n
        # RFC 8615: dotted, and made to be found.
        WELL_KNOWN = %r{\A\.well-known(?:/|\z)}n

        module_function

        # The name without a slash first, in UTF-8 whether it is valid or not; :malformed, or :missing where nothing
        # can be, or may be looked for.
        def of(path, dotfiles: false)
          bytes = path.b
          return :malformed if !bytes.start_with?("/") || bytes.match?(FORBIDDEN)

          bytes = decode(bytes) if bytes.include?("%")
          return bytes if bytes.is_a?(Symbol)

          name = bytes.squeeze("/").delete_prefix("/")
          hidden?(name, dotfiles) ? :missing : name.force_encoding(Encoding::UTF_8)
        end

        # For a link: what may stand in a path stands, all else is escaped.
        def encode(name) = name.b.gsub(/[^A-Za-z0-9\-._~!$&'()*+,;=@]/n) { |byte| format("%%%02X", byte.ord) }

        def decode(path)
          return :malformed if path.match?(BAD_ESCAPE)
          # No file's name has a slash.
          return :missing if path.match?(/%2f/in)

          name = path.gsub(/%\h\h/n) { |code| code[1, 2].hex.chr }
          name.include?("\0") ? :malformed : name
        end

        def hidden?(name, dotfiles)
          return false unless name.match?(HIDDEN)

          name.match?(DOTS) || !(dotfiles || (name.match?(WELL_KNOWN) && !name.match?(%r{/\.}n)))
        end
        private_class_method :decode, :hidden?
      end
    end
  end
end
