# frozen_string_literal: true

require "optparse"

module Spate
  module Server
    class CommandLine
      # The cache of a team, and who may use it.
      module CacheOptions
        # Tokens, where no file has them: for containers.
        READERS = "SPATE_CACHE_READ_TOKENS"
        WRITERS = "SPATE_CACHE_WRITE_TOKENS"

        module_function

        # Sets values[:cache], the folder, and values[:caching]: limit and document as Cache.new has them; readers and
        # writers, paths of files of tokens; open.
        def add(parser, values)
          cache = values[:caching] ||= {}
          parser.separator "\nCache:"
          parser.on("--cache DIR", "serve the cache of a team out of this folder: Bazel's /cas/ and /ac/") do |path|
            values[:cache] = path
          end
          limits(parser, cache)
          tokens(parser, cache)
        end

        def limits(parser, cache)
          parser.on("--cache-limit BYTES", "all entries together; what was not asked for the longest goes; or none " \
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
          parser.on("--cache-open", "who may read may write: on 127.0.0.1, or behind a proxy that asks") do
            cache[:open] = true
          end
        end

        def bytes(text)
          bytes = Size.of(text)
          raise OptionParser::InvalidArgument, "#{text}: 1 is the least, 20G a size" unless bytes&.positive?

          bytes
        end

        # A Cache::Access. Error where tokens cannot be read; UsageError where some may write and all others, too.
        def access(values, env)
          readers, writers = [[:readers, READERS], [:writers, WRITERS]].map do |key, variable|
            values[key] ? Cache::Access.tokens(values[key]) : env[variable].to_s.split
          end
          if values[:open] && writers.any?
            raise UsageError.new("--cache-open and tokens of writers were given: who may write?", hint: "leave one out")
          end

          Cache::Access.new(readers: readers, writers: writers, anyone: values[:open])
        end

        # Lines about an address that others can reach.
        def warnings(open:, tls:)
          lines = []
          unless tls
            lines << "warning: tokens and entries cross the network in clear text"
            lines << "hint: --tls --cert FILE --key FILE, or listen on 127.0.0.1 behind a proxy that speaks TLS"
          end
          lines << "warning: whoever reaches this address and may read may write (--cache-open)" if open
          lines
        end
        private_class_method :limits, :tokens, :bytes
      end
    end
  end
end
