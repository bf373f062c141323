# frozen_string_literal: true

require "openssl"

module Spate
  module Server
    class Cache
      # Grants read and write permission by tokens. A client sends its token as `Authorization: Bearer TOKEN`, or as the
      # password for any user name. A write token may also read. Without read tokens, every client may read; without
      # write tokens, no client may write.
      class Access
        CHALLENGE = { "www-authenticate" => %(Basic realm="spate cache", Bearer) }.freeze
        SCHEMES = /\A(bearer|basic) +(\S+)\z/i

        # Returns the tokens in a file, one per line; empty lines and lines starting with # are ignored. Raises Error if
        # the file is unreadable or has no token.
        def self.tokens(path)
          tokens = File.readlines(path, chomp: true).map(&:strip).reject { |line| line.empty? || line.start_with?("#") }
          raise Error.new("#{path} has no token", hint: "one token per line: openssl rand -hex 32") if tokens.empty?

          tokens
        rescue SystemCallError => e
          raise Error.new("tokens cannot be read from #{path}: #{Error.reason(e)}", hint: "name a file with tokens")
        end

        # readers, writers: Arrays of tokens. anyone: whether clients that may read may also write.
        def initialize(readers: [], writers: [], anyone: false)
          @readers = readers.map { |token| digest(token) }
          @writers = writers.map { |token| digest(token) }
          @anyone = anyone
        end

        # Returns the Response for a client without permission, or nil for a client with permission. writing: whether
        # write permission is required, which is also the case for listings.
        def refusal(request, writing:)
          return may_read(request) unless writing
          return may_write(request) unless @writers.empty?
          return may_read(request) if @anyone

          refuse(403, "Writing is disabled: the server has no write tokens.")
        end

        # Describes both permissions in one line, which is printed when the server starts.
        def to_s
          writers = "no write access (--cache-write-token FILE or --cache-open)"
          writers = "write access for all readers" if @anyone
          writers = "write access by token" if @writers.any?
          "read access #{@readers.empty? ? "for everyone" : "by token"}, #{writers}"
        end

        def inspect = "#<#{self.class}>"

        private

        def may_read(request)
          return if @readers.empty?

          token = token(request)
          unknown unless token && (known?(@readers, token) | known?(@writers, token))
        end

        def may_write(request)
          token = token(request)
          return if token && known?(@writers, token)

          token && known?(@readers, token) ? refuse(403, "This token has read access only.") : unknown
        end

        # Returns the digest of the request's token, or nil.
        def token(request)
          scheme, value = SCHEMES.match(request["authorization"].to_s.b.strip)&.captures
          return if value.nil?

          value = value.unpack1("m").partition(":").last if scheme.casecmp?("basic")
          digest(value)
        end

        # Runs in constant time: compares digests, and always compares `token` with all of `tokens`.
        def known?(tokens, token) = tokens.count { |one| OpenSSL.fixed_length_secure_compare(one, token) }.positive?

        def digest(token) = OpenSSL::Digest.digest("SHA256", token)

        def unknown
          refuse(401, "A token is required: as a Bearer token, or as the Basic password with any user name.", CHALLENGE)
        end

        def refuse(status, text, headers = {}) = Response.text(status, "#{text}\n", headers)
      end
    end
  end
end
