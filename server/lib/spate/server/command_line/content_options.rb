# frozen_string_literal: true

require "optparse"

module Spate
  module Server
    class CommandLine
      # Options for the served content: a folder, a Rack application, or a shared cache and its permissions.
      module ContentOptions
        # Environment variables with tokens separated by blanks, intended for containers.
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
          parser.on("--index NAMES", Array, "index files of a folder, the first one found " \
                                            "(#{Files::INDEX.join(",")})") { |names| files[:index] = plain(names) }
          parser.on("--no-index", "serve no index files") { files[:index] = [] }
          parser.on("--no-listing", "answer 404 for folders without an index file") { files[:listing] = false }
          parser.on("--dotfiles", "serve dotfiles (default: only .well-known)") do
            files[:dotfiles] = true
          end
          parser.on("--mime FILE", "media types in the format of /etc/mime.types, before all others") do |path|
            files[:media_types] = path
          end
        end

        def codings(parser, files)
          parser.on("--no-gzip", "do not compress files while they are sent") { files[:gzip] = false }
          parser.on("--gzip-most BYTES", "largest file that is compressed while it is sent " \
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

        # Sets values[:rack] and values[:config] (paths), values[:threads], values[:waiting], values[:trusted_proxies],
        # values[:sendfile].
        def rack(parser, values)
          parser.separator "\nRack:"
          parser.on("--rack FILE", "serve the Rack application of this config.ru") { |path| values[:rack] = path }
          parser.on("-C", "--config FILE", "file with puma's directives, or none (config/spate.rb or " \
                                           "config/puma.rb next to the config.ru)") { |path| values[:config] = path }
          parser.on("--threads N", Rack::COUNT, "threads of a process " \
                                                "(RAILS_MAX_THREADS, else #{Rack::THREADS})") do |value|
            values[:threads] = value.to_i
          end
          parser.on("--waiting N", Rack::COUNT, "requests that may wait for a thread; further ones get 503 " \
                                                "(#{Rack::WAITING})") do |value|
            values[:waiting] = value.to_i
          end
          parser.on("--trusted-proxies LIST", Array, "addresses and networks whose x-forwarded-proto is trusted; " \
                                                     "unix for a Unix socket (none)") do |names|
            values[:trusted_proxies] = names
          end
          parser.on("--sendfile DIR|URI=DIR", "folder of files for x-sendfile (with URI also for x-accel-redirect);",
                    "repeat it for several folders") { |text| (values[:sendfile] ||= []) << text }
        end

        # Sets values[:cache], the path of the folder, and values[:caching], a Hash with these keys: limit and document,
        # as for Cache.new; readers and writers, the paths of token files; open, whether readers may write.
        def cache(parser, values)
          cache = values[:caching] ||= {}
          parser.separator "\nCache:"
          parser.on("--cache DIR", "serve a shared cache from this folder: Bazel's /cas/ and /ac/") do |path|
            values[:cache] = path
          end
          cache_limits(parser, cache)
          tokens(parser, cache)
        end

        def cache_limits(parser, cache)
          parser.on("--cache-limit BYTES", "size of all entries, or none; least recently used ones are removed " \
                                           "(#{Cache::LIMIT >> 30}G)") do |text|
            cache[:limit] = text == "none" ? nil : bytes(text)
          end
          parser.on("--cache-document BYTES", "one entry below /ac/ (#{Cache::DOCUMENT >> 20}M)") do |text|
            cache[:document] = bytes(text)
          end
        end

        def tokens(parser, cache)
          parser.on("--cache-read-token FILE", "tokens with read access, one per line (#{READERS}; " \
                                               "default: access for everyone)") do |path|
            cache[:readers] = path
          end
          parser.on("--cache-write-token FILE", "tokens with write access (#{WRITERS}; default: no " \
                                                "write access)") do |path|
            cache[:writers] = path
          end
          parser.on("--cache-open", "readers may write too: on 127.0.0.1, or behind a proxy that authenticates") do
            cache[:open] = true
          end
        end

        def bytes(text)
          bytes = CommandLine.size(text)
          raise OptionParser::InvalidArgument, "#{text}: expected a size such as 20G" unless bytes&.positive?

          bytes
        end

        # Returns a Cache::Access. Raises Error for unreadable tokens, and UsageError if --cache-open is combined with
        # write tokens.
        def access(values, env)
          readers, writers = [[:readers, READERS], [:writers, WRITERS]].map do |key, variable|
            values[key] ? Cache::Access.tokens(values[key]) : env[variable].to_s.split
          end
          if values[:open] && writers.any?
            raise UsageError.new("--cache-open cannot be combined with write tokens", hint: "remove one of them")
          end

          Cache::Access.new(readers: readers, writers: writers, anyone: values[:open])
        end

        # Returns warnings for a cache at an address that other machines can reach.
        def warnings(open:, tls:)
          lines = []
          unless tls
            lines << "warning: tokens and entries are sent over the network in clear text"
            lines << "hint: --tls --cert FILE --key FILE, or listen on 127.0.0.1 behind a proxy with TLS"
          end
          lines << "warning: every client with read access may write (--cache-open)" if open
          lines
        end
        private_class_method :names, :codings, :plain, :cache_limits, :tokens, :bytes
      end
    end
  end
end
