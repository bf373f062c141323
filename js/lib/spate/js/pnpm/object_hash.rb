# frozen_string_literal: true

require "digest"

module Spate
  module JS
    module Pnpm
      # The digest of a value as pnpm computes it (the format of npm's object-hash, with sorted keys), used for
      # packageExtensionsChecksum and the names in its global virtual store.
      module ObjectHash
        module_function

        # The SHA-256. encoding: "base64" or "hex".
        def digest(value, encoding = "base64")
          text = write(+"".b, value)
          encoding == "hex" ? Digest::SHA256.hexdigest(text) : Digest::SHA256.base64digest(text)
        end

        def checksum(value) = "sha256-#{digest(value)}"

        # Up to version 9 pnpm used the digest of the JSON.
        def old_checksum(value)
          require "json"
          Digest::MD5.hexdigest(JSON.generate(sorted(value)))
        end

        def sorted(value)
          case value
          when Hash then value.sort.to_h.transform_values { |each| sorted(each) }
          when Array then value.map { |each| sorted(each) }
          else value
          end
        end

        def write(out, value)
          case value
          when nil then out << "Null"
          when true, false then out << "bool:#{value}"
          when Numeric then out << "number:#{value}"
          when Array then value.reduce(out << "array:#{value.size}:") { |all, each| write(all, each) }
          when Hash then pairs(out << "object:#{value.size}:", value)
          else text(out, value.to_s)
          end
        end

        def pairs(out, hash)
          hash.keys.sort.each do |key|
            text(out, key) << ":"
            write(out, hash[key]) << ","
          end
          out
        end

        # The length is in UTF-16 code units, as in JavaScript.
        def text(out, value)
          size = value.ascii_only? ? value.size : value.encode(Encoding::UTF_16LE).bytesize / 2
          out << "string:#{size}:" << value.b
        end
      end
    end
  end
end
