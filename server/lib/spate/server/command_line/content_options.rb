# frozen_string_literal: true

require "optparse"

module Spate
  module Server
    class CommandLine
      # What is served: a folder, a Rack application, or a shared cache and its permissions.
      module ContentOptions
        # Environment variables with tokens, for containers.
        READERS = "SPATE_CACHE_READ_TOKENS"
        WRITERS = "SPATE_CACHE_WRITE_TOKENS"

        module_function

        # Sets values[:files], the keywords of Files.new.
        def files(parser, values)
          files = values[:files] ||= {}
          parser.separator "\nFiles:"
          names(parser, files)
          codings(parser, files)
        end

        def names(parser, files)
          parser.on("--index NAMES", Array, "files to serve for their folder, the first one found " \
                                            "(#{Files::INDEX.join(",")})") { |names| files[:index] = plain(names) }
          parser.on("--no-index", "serve no file for a folder") { files[:index] = [] }
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
            files[:gzip_most] = CommandLine.size(text) or raise OptionParser::InvalidArgument, text
          end
          parser.on("--no-precompressed", "do not send FILE.br, FILE.zst or FILE.gz for FILE") do
            files[:precompressed] = false
          end
        end

        def plain(names)
          strange = names.find { |name| name.empty? || name.include?("/") }
          raise OptionParser::InvalidArgument, "not a file name: #{strange.inspect}" if strange

          names
        end

        # Sets values[:rack] (a path), values[:threads], values[:waiting].
        def rack(parser, values)
          parser.separator "\nRack:"
          parser.on("--rack FILE", "serve a Rack application: its config.ru") { |path| values[:rack] = path }
          parser.on("--threads N", Rack::COUNT, "requests that a process works on at once " \
                                                "(RAILS_MAX_THREADS, else #{Rack::THREADS})") do |value|
            values[:threads] = value.to_i
          end
          parser.on("--waiting N", Rack::COUNT, "requests that may wait for a thread; more are answered with 503 " \
                                                "(#{Rack::WAITING})") do |value|
            values[:waiting] = value.to_i
          end
        end

        # Sets values[:cache], the folder, and values[:caching]: limit and document as for Cache.new; readers and
        # writers, paths of token files; open.
        def cache(parser, values)
          cache = values[:caching] ||= {}
          parser.separator "\nCache:"
          parser.on("--cache DIR", "serve a team's cache from this folder: Bazel's /cas/ and /ac/") do |path|
            values[:cache] = path
          end
          cache_limits(parser, cache)
          tokens(parser, cache)
        end

        def cache_limits(parser, cache)
          parser.on("--cache-limit BYTES", "size of all entries, or none; removes the least recently used ones first " \
                                           "(#{Cache::LIMIT >> 30}G)") do |text|
            cache[:limit] = text == "none" ? nil : bytes(text)
          end
          parser.on("--cache-document BYTES", "one entry below /ac/ (#{Cache::DOCUMENT >> 20}M)") do |text|
            cache[:document] = bytes(text)
          end
        end

        def tokens(parser, cache)
          parser.on("--cache-read-token FILE", "tokens of those who may read, one a line (#{READERS}; " \
                                               "without any all may)") do |path|
            cache[:readers] = path
          end
          parser.on("--cache-write-token FILE", "tokens of those who may write (#{WRITERS}; without any " \
                                                "nobody may)") do |path|
            cache[:writers] = path
          end
          parser.on("--cache-open", "readers may write too: on 127.0.0.1, or behind a proxy that authenticates") do
            cache[:open] = true
          end
        end

        def bytes(text)
          bytes = CommandLine.size(text)
          raise OptionParser::InvalidArgument, "#{text}: expected a size, as 20G" unless bytes&.positive?

          bytes
        end

        # A Cache::Access. Raises Error for unreadable tokens, and UsageError for --cache-open together with write
        # tokens.
        def access(values, env)
          readers, writers = [[:readers, READERS], [:writers, WRITERS]].map do |key, variable|
            values[key] ? Cache::Access.tokens(values[key]) : env[variable].to_s.split
          end
          if values[:open] && writers.any?
            raise UsageError.new("--cache-open and tokens of writers were given: who may write?", hint: "leave one out")
          end

          Cache::Access.new(readers: readers, writers: writers, anyone: values[:open])
        end

        # Warnings for an address that other machines can reach.
        def warnings(open:, tls:)
          lines = []
          unless tls
            lines << "warning: tokens and entries cross the network in clear text"
            lines << "hint: --tls --cert FILE --key FILE, or listen on 127.0.0.1 behind a proxy that speaks TLS"
          end
          lines << "warning: whoever reaches this address and may read may write (--cache-open)" if open
          lines
        end
        private_class_method :names, :codings, :plain, :cache_limits, :tokens, :bytes
      end
    end
  end
end
