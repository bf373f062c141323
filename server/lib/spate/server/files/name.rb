# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Converts a request's path to a name in the folder (RFC 3986, section 2.1, strictly). "/a%20b/" is "a b/".
      module Name
        # Characters that are rejected in a path, because careless parsers treat them specially.
        FORBIDDEN = /[\0\\]/n
        BAD_ESCAPE = /%(?!\h\h)/n
        # Names with a segment that begins with a dot. Clients remove "." and ".." (section 5.2.4), and other dotfiles
        # are hidden.
        HIDDEN = %r{(?:\A|/)\.}n
        DOTS = %r{(?:\A|/)\.\.?(?:/|\z)}n
        # RFC 8615: the name starts with a dot, but is public.
        WELL_KNOWN = %r{\A\.well-known(?:/|\z)}n

        module_function

        # Returns the name without its leading slash, as a UTF-8 String, which may be invalid. Returns :malformed for an
        # invalid path, and :missing for a name that cannot exist or is hidden.
        def of(path, dotfiles: false)
          bytes = path.b
          return :malformed if !bytes.start_with?("/") || bytes.match?(FORBIDDEN)

          bytes = decode(bytes) if bytes.include?("%")
          return bytes if bytes.is_a?(Symbol)

          name = bytes.squeeze("/").delete_prefix("/")
          hidden?(name, dotfiles) ? :missing : name.force_encoding(Encoding::UTF_8)
        end

        # Encodes a name for a link: escapes everything that is not allowed in a path.
        def encode(name) = name.b.gsub(/[^A-Za-z0-9\-._~!$&'()*+,;=@]/n) { |byte| format("%%%02X", byte.ord) }

        def decode(path)
          return :malformed if path.match?(BAD_ESCAPE)
          # An escaped slash cannot be part of a file name.
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
