# frozen_string_literal: true

require "optparse"

module Spate
  module Server
    class CommandLine
      # What of a folder is served, and how.
      module FileOptions
        module_function

        # Sets values[:files], the keywords of Files.new.
        def add(parser, values)
          files = values[:files] ||= {}
          parser.separator "\nFiles:"
          names(parser, files)
          codings(parser, files)
        end

        def names(parser, files)
          parser.on("--index NAMES", Array, "files that stand for their folder, the first one found " \
                                            "(#{Files::INDEX.join(",")})") { |names| files[:index] = plain(names) }
          parser.on("--no-index", "no file stands for its folder") { files[:index] = [] }
          parser.on("--no-listing", "folders without such a file are not listed: 404") { files[:listing] = false }
          parser.on("--dotfiles", "names that begin with a dot too; without it only .well-known") do
            files[:dotfiles] = true
          end
          parser.on("--mime FILE", "media types as in /etc/mime.types, before all others") do |path|
            files[:media_types] = path
          end
        end

        def codings(parser, files)
          parser.on("--no-gzip", "send text as it is: nothing is compressed on the way") { files[:gzip] = false }
          parser.on("--gzip-most BYTES", "longest file that is compressed on the way " \
                                         "(#{Files::Gzip::MOST >> 20}M)") do |text|
            files[:gzip_most] = Size.of(text) or raise OptionParser::InvalidArgument, text
          end
          parser.on("--no-precompressed", "do not send FILE.br, FILE.zst or FILE.gz for FILE") do
            files[:precompressed] = false
          end
        end

        def plain(names)
          strange = names.find { |name| name.empty? || name.include?("/") }
          raise OptionParser::InvalidArgument, "#{strange.inspect} is no file's name" if strange

          names
        end
        private_class_method :names, :codings, :plain
      end
    end
  end
end
