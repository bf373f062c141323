# frozen_string_literal: true

require "json"
require "time"

module Spate
  module RemoteCache
    # A cache on a server with Bazel's HTTP protocol: GET, HEAD and PUT of BASE/ac/<hex> and BASE/cas/<hex>. User and
    # password come from the address, Bundler's settings or netrc, in this order.
    class HTTP
      include Transport

      DONE = [200, 201, 202, 204].freeze
      MISSING = [404, 410].freeze
      PRESENT = 412
      # The status with which a server rejects conditional writes that it does not support.
      NOT_IMPLEMENTED = 501
      # Statuses of servers that do not list folders.
      UNLISTED = [400, *MISSING, 405, 501].freeze
      UNLISTED_HINT = "`spate serve --cache` sends lists to clients with write access, nginx with " \
                      "autoindex_format json: docs/team-cache.md"
      private_constant :DONE, :MISSING, :PRESENT, :NOT_IMPLEMENTED, :UNLISTED, :UNLISTED_HINT

      # User and password for a server. userinfo: as in a URI. origin: their origin for messages.
      Login = Struct.new(:userinfo, :origin) do
        # The Login from the address, Bundler's settings or netrc, in this order; nil if there is none.
        def self.of(address, settings:, env:)
          return new(address.userinfo, "its address") if address.userinfo

          set = Settings::Credentials.new(settings).for(address.to_s)
          return new(set, "the setting #{address.uri.host}") if set

          found = Spate::HTTP::Netrc.load(env).for(address.uri.hostname)
          new(found, "netrc") if found
        end

        # A hint that explains how to set user and password for a host.
        def self.hint(host)
          variable = Settings::Key.for(host)
          in_ci = "; in CI set #{variable} to the same value" if variable.match?(/\A\w+\z/)
          "bundle config set --global #{host} USER:PASSWORD (any:TOKEN if the server uses tokens)#{in_ci}"
        end

        def authorization = Spate::HTTP.basic(userinfo)

        # For messages about rejected requests. Does not contain a user name that may be a token.
        def to_s
          user, password = userinfo.split(":", 2)
          [nil, "", "x-oauth-basic"].include?(password) ? "the user of #{origin}" : "the user #{user} of #{origin}"
        end
      end

      def initialize(address, requests, env:, settings: {})
        @address = address
        @requests = requests
        @login = Login.of(address, settings: settings, env: env)
      end

      def connect = @requests.connect(@address.uri, address: @address)

      def head(name)
        ask(:head, locate(name)) { |answer| Transport::Answer.size(answer, @address) }
      end

      def time(name) = ask(:head, locate(name), &Transport::Answer.method(:time))
      def delete(name) = change(:delete, name) && true

      def put(name, source, fresh: false)
        status = change(:put, name, body: source, headers: fresh ? { "If-None-Match" => "*" } : {})
        return put(name, source) if status == NOT_IMPLEMENTED

        status != PRESENT
      end

      def each(prefix, &block)
        return enum_for(:each, prefix) unless block

        ask(:get, URI("#{@address}/#{prefix}"), missing: UNLISTED) do |answer|
          list = Listing.new(prefix, @address, &block)
          Transport::Answer.pieces(answer, Listing::LIMIT, @address) { |bytes| list << bytes }
          list.finish
          true
        end || raise(Listing::None)
      rescue Listing::None
        raise Unsupported.new("the cache #{@address} does not list its entries", hint: UNLISTED_HINT)
      end

      # Does nothing, since clients do not see unfinished files of a server.
      def sweep(**) = [0, 0]
      def close = @requests.close
      def ahead = @requests.ahead
      def to_s = @address.to_s

      private

      def locate(name) = URI("#{@address}/#{RemoteCache.name(name)}")

      def read(name, limit, &block)
        ask(:get, locate(name)) do |answer|
          Transport::Answer.content(answer, limit, @address, &block)
          true
        end
      end

      # Returns the block's result for a response with status 200, and nil for a status in `missing`. Follows redirects,
      # but sends credentials only to the original host.
      def ask(verb, uri, missing: MISSING)
        @requests.follow(verb, uri, address: @address, accept: missing,
                                    authorization: @login&.authorization) do |answer, authorization|
          status = answer.code.to_i
          next yield(answer) if status == 200
          raise refusal(answer, authorization) unless missing.include?(status)

          Transport::Answer.skip(answer, @address)
          nil
        end
      end

      # Sends a PUT or DELETE and returns the status. headers: conditions of the request.
      def change(verb, name, headers: {}, **body)
        status = nil
        authorization = @login&.authorization
        @requests.perform(verb, locate(name), address: @address, headers: headers, authorization: authorization,
                                              **body) do |answer|
          status = answer.code.to_i
          good = [*DONE, *(MISSING if verb == :delete), *([PRESENT, NOT_IMPLEMENTED] if headers.any?)].include?(status)
          raise refusal(answer, authorization, writing: true) unless good

          Transport::Answer.skip(answer, @address)
        end
        status
      end

      # authorization: the value of the sent header, or nil.
      def refusal(answer, authorization, **options)
        fact = answer.message
        fact = "#{Registry::Archive.printable(fact)} to #{@login}" if authorization && %w[401 403].include?(answer.code)
        options[:hint] = Login.hint(@address.uri.host) if answer.code == "401"
        Transport::Answer.refusal(answer, @address, fact: fact, **options)
      end

      # Parses a server's list of a folder while it arrives. The format is nginx' `autoindex_format json`, an array with
      # one entry per line.
      #
      #   [
      #   { "name":"3f1c...", "type":"file", "mtime":"Fri, 27 Nov 2026 18:18:22 GMT", "size":7 },
      #   { "name":"a0b4...", "type":"file", "mtime":"Fri, 27 Nov 2026 18:20:09 GMT", "size":5 }
      #   ]
      class Listing
        # Maximum sizes in bytes of a line and of the list, which has about three million entries at this limit.
        LINE = 4096
        LIMIT = 512 << 20
        # The response is not such a list, but for example an HTML page.
        None = Class.new(StandardError)

        # folder: "cas/" or "ac/". Yields name, size and Time of each entry.
        def initialize(folder, address, &block)
          @folder = folder
          @address = address
          @block = block
          @rest = "".b
          @state = :before
        end

        # Parses received bytes. Raises None, Unavailable.
        def <<(bytes)
          @rest << bytes
          while (line = @rest.slice!(/\A[^\n]*\n/n))
            take(line)
          end
          return self if @rest.bytesize <= LINE
          raise None if @state == :before

          raise broken("sends a line of more than #{LINE} bytes in a list")
        end

        # Raises an error if the list is truncated, since the missing names would be treated as removed.
        def finish
          take(@rest)
          raise None if @state == :before
          raise broken("sent a truncated list") unless @state == :over
        end

        private

        def take(line)
          line = line.strip
          return if line.empty?

          if @state == :before
            raise None unless line.start_with?("[")

            @state = :within
            return take(line.byteslice(1..))
          end
          return @state = :over if @state == :within && line == "]"

          entry(line.delete_suffix(","))
        end

        def entry(line)
          found = JSON.parse(line) if @state == :within
          raise broken("sent a malformed list") unless found.is_a?(Hash)

          name, type, time, size = found.values_at("name", "type", "mtime", "size")
          name = "#{@folder}#{name}".scrub
          fit = type == "file" && size.is_a?(Integer) && !size.negative? && NAME.match?(name)
          @block.call(name, size, time(time)) if fit
        rescue JSON::ParserError
          raise broken("sent a malformed list")
        end

        # Returns the current time if the time is invalid, so that the file is too young to be removed.
        def time(text)
          Time.httpdate(text.to_s)
        rescue ArgumentError
          Time.now
        end

        def broken(fact) = Unavailable.new(:answer, @address, fact)
      end
    end
  end
end
