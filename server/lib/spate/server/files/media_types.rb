# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Media types by file extension: common types of the web, additional types from /etc/mime.types if it exists, and
      # types from the user's file, which take precedence.
      class MediaTypes
        OTHER = "application/octet-stream"
        SYSTEM = "/etc/mime.types"
        TEXT = "; charset=utf-8"
        BY_ENDING = {
          "text/html" => %w[html htm], "text/css" => %w[css], "text/javascript" => %w[js mjs cjs],
          "text/plain" => %w[txt text log conf ini toml], "text/markdown" => %w[md markdown], "text/csv" => %w[csv],
          "text/tab-separated-values" => %w[tsv], "text/calendar" => %w[ics], "text/vtt" => %w[vtt],
          "text/x-ruby" => %w[rb ru rake gemspec], "text/x-c" => %w[c h], "text/yaml" => %w[yml yaml],
          "application/json" => %w[json map], "application/ld+json" => %w[jsonld],
          "application/geo+json" => %w[geojson],
          "application/manifest+json" => %w[webmanifest], "application/xml" => %w[xml xsl],
          "application/xhtml+xml" => %w[xhtml], "application/atom+xml" => %w[atom], "application/rss+xml" => %w[rss],
          "image/svg+xml" => %w[svg], "image/png" => %w[png], "image/jpeg" => %w[jpg jpeg], "image/gif" => %w[gif],
          "image/webp" => %w[webp], "image/avif" => %w[avif], "image/x-icon" => %w[ico], "image/bmp" => %w[bmp],
          "image/tiff" => %w[tif tiff], "image/jxl" => %w[jxl], "font/woff" => %w[woff], "font/woff2" => %w[woff2],
          "font/ttf" => %w[ttf], "font/otf" => %w[otf], "audio/mpeg" => %w[mp3], "audio/ogg" => %w[ogg oga opus],
          "audio/flac" => %w[flac], "audio/wav" => %w[wav], "audio/mp4" => %w[m4a], "video/mp4" => %w[mp4 m4v],
          "video/webm" => %w[webm], "video/quicktime" => %w[mov], "video/x-matroska" => %w[mkv],
          "application/pdf" => %w[pdf], "application/wasm" => %w[wasm], "application/zip" => %w[zip],
          "application/gzip" => %w[gz tgz], "application/zstd" => %w[zst], "application/x-tar" => %w[tar],
          "application/x-bzip2" => %w[bz2], "application/x-xz" => %w[xz], "application/epub+zip" => %w[epub]
        }.flat_map { |type, endings| endings.map { |ending| [ending, type] } }.to_h.freeze
        # Types that compress well.
        SHORTER = %r{\A(?:text/|application/(?:.*\+)?(?:json|xml|javascript|wasm|yaml|toml|rtf|sql|x-sh)\b|font/[ot]tf
                       |image/(?:svg\+xml|bmp|x-icon))}x

        # name: "text/plain" or "text/html; charset=utf-8". compressible: whether compression is worthwhile.
        Type = Struct.new(:name, :compressible)

        # file: the user's file, in the format of /etc/mime.types. Raises Error when the file cannot be read.
        def initialize(file = nil, system: SYSTEM)
          names = (File.readable?(system) ? parse(File.binread(system)) : {}).merge(BY_ENDING)
          names = names.merge(own(file)) if file
          @types = names.transform_values { |name| type(name) }
          @other = type(OTHER)
        end

        # Returns the Type for a file name.
        def of(name)
          ending = name.b[%r{\.([^./]+)\z}n, 1]
          ending ? @types.fetch(ending.downcase, @other) : @other
        end

        private

        def own(file)
          parse(File.binread(file))
        rescue SystemCallError => e
          raise Error.new("#{file} cannot be read: #{Error.reason(e)}",
                          hint: "name a file with lines such as: text/plain txt log")
        end

        # Parses lines of the form "type extension extension ...". # starts a comment.
        def parse(text)
          text.each_line.with_object({}) do |line, types|
            type, *endings = line.sub(/#.*/m, "").split
            next unless type&.match?(%r{\A[!-~]+/[!-~]+\z})

            endings.each { |ending| types[ending.downcase] = type }
          end
        end

        def type(name)
          text = name.start_with?("text/") && !name.include?(";")
          Type.new((text ? "#{name}#{TEXT}" : name).freeze, name.match?(SHORTER)).freeze
        end
      end
    end
  end
end
