# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Parses Accept-Encoding (RFC 9110, section 12.5.3).
      module AcceptEncoding
        # Supported codings, best first, and the extensions of precompressed files.
        ENDINGS = { "br" => ".br", "zstd" => ".zst", "gzip" => ".gz" }.freeze
        ORDER = [*ENDINGS.keys, "identity"].freeze
        ITEM = /\A[ \t]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*(?:;[ \t]*q=([01](?:\.\d{0,3})?)[ \t]*)?\z/i
        NONE = ["identity"].freeze
        REMEMBERED = 200
        LONGEST = 200

        @known = {}

        module_function

        # Returns the codings to try, in this order. "identity" is always the last.
        def of(value)
          return NONE if value.nil? || value.bytesize > LONGEST

          @known.clear if @known.size > REMEMBERED
          @known[value] ||= order(weights(value))
        end

        def weights(value)
          value.b.split(",").each_with_object({}) do |item, weights|
            match = ITEM.match(item) or next
            name = match[1].downcase
            weights[name.delete_prefix("x-")] = (match[2] || 1).to_f
          end
        end

        def order(weights)
          other = weights["*"]
          wanted = ORDER.filter_map do |name|
            # "identity" is acceptable unless the client excludes it.
            weight = weights[name] || other || (name == "identity" ? 0.0005 : 0)
            [name, weight] if weight.positive?
          end
          names = wanted.sort_by.with_index { |(_, weight), index| [-weight, index] }.map(&:first)
          # A client that excludes every coding gets the file unencoded.
          (names.include?("identity") ? names[0..names.index("identity")] : names << "identity").freeze
        end
        private_class_method :weights, :order
      end
    end
  end
end
