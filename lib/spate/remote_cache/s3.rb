# frozen_string_literal: true

module Spate
  module RemoteCache
    # A cache in a bucket of S3 or of a compatible server, with the names PREFIX/ac/<hex> and PREFIX/cas/<hex>. With
    # credentials, all requests are signed, including their bodies. Conditional writes are not used, since some servers
    # ignore the condition and others reject the request.
    class S3
      autoload :Credentials, "spate/remote_cache/s3/credentials"
      autoload :Place, "spate/remote_cache/s3/place"
      autoload :Roles, "spate/remote_cache/s3/roles"
      autoload :Signature, "spate/remote_cache/s3/signature"
      %i[Listing XML].each { |name| autoload name, "spate/remote_cache/s3/listing" }

      include Transport

      # The SHA-256 of an empty body.
      NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      # Maximum size of a page of a list in bytes. A page with a thousand names has about half a MiB.
      MAX_LIST = 8 << 20
      MAX_PAGES = 10_000
      DONE = [200, 204].freeze
      # A request may have been sent to the wrong region, and its keys may have expired. Each of these errors occurs at
      # most once.
      TRIES = 3
      ENDED = %w[ExpiredToken ExpiredTokenException TokenRefreshRequired].freeze
      LISTABLE = "S3 also returns this for a missing name without s3:ListBucket: allow s3:ListBucket"
      NO_BUCKET = "create the bucket, or use another one: spate cache use s3://BUCKET/PREFIX"
      private_constant :NOTHING, :MAX_LIST, :MAX_PAGES, :DONE, :TRIES, :ENDED, :LISTABLE, :NO_BUCKET

      def initialize(address, requests, env:)
        @address = address
        @requests = requests
        profile = Credentials::ConfigProfile.load(env, address)
        @place = Place.new(address, env: env, profile: profile)
        chain = Credentials::Chain.new(env: env, profile: profile, place: @place, requests: requests)
        @credentials = Credentials::Cache.new(address, chain)
      end

      # Does not show the environment, which may contain keys.
      def inspect = "#<#{self.class} #{@address}>"

      def connect = @requests.connect(@place.locate(nil, {}, region: @place.region), address: @address)

      def head(name) = ask(:head, RemoteCache.name(name)) { |answer| Transport::Answer.size(answer, self) }

      def time(name) = ask(:head, RemoteCache.name(name), &Transport::Answer.method(:time))

      # A blob's name is its digest, so S3 rejects content that does not match the name. Ignores `fresh`, since some
      # servers respond to a conditional write with 501.
      def put(name, source, **)
        digest = RemoteCache.name(name).start_with?("cas/") ? name[4..] : sha256(source)
        ask(:put, name, body: source, digest: digest) { |answer| Transport::Answer.text(answer, self) } ||
          raise(Unavailable.new(:answer, self, "returned 404"))
        true
      end

      def delete(name)
        ask(:delete, RemoteCache.name(name)) { |answer| Transport::Answer.text(answer, self) }
        true
      end

      def each(prefix, &block)
        return enum_for(:each, prefix) unless block

        query = { "list-type" => "2", "prefix" => "#{@address.prefix}#{prefix}" }
        MAX_PAGES.times do
          page = ask(:get, nil, query: query) { |answer| Transport::Answer.text(answer, self, limit: MAX_LIST) }
          list = Listing.read(page.to_s, self)
          list.each(@address.prefix, &block)
          return unless list.token

          query["continuation-token"] = list.token
        end
        raise Unavailable.new(:answer, self, "sends a list of more than #{MAX_PAGES} pages")
      end

      # Does nothing, since clients do not see unfinished files of a server.
      def sweep(**) = [0, 0]
      def close = @requests.close
      def ahead = @requests.ahead
      # Includes the host, since two servers may have buckets with the same name.
      def to_s = "#{@address} at #{@place.host}"

      private

      def read(name, limit, &block)
        ask(:get, name) do |answer|
          Transport::Answer.content(answer, limit, self, &block)
          true
        end
      end

      # Returns the block's result for a successful response, or nil for an unknown name.
      def ask(verb, name, query: {}, body: nil, digest: NOTHING, &block)
        refusal = nil
        TRIES.times do
          signature = sign
          uri = @place.locate(name, query, region: signature.region)
          headers = signature.headers(verb, uri, { "x-amz-content-sha256" => digest }, digest: digest)
          result, refusal = @requests.perform(verb, uri, address: self, headers: headers, body: body) do |answer|
            judge(answer, verb, signature, &block)
          end
          return result unless refusal
        end
        raise refusal
      end

      def sign
        keys = @credentials.get
        @place.take_keys! if keys
        Signature.new(keys, region: @place.region, service: "s3")
      end

      # [the block's result], or [nil, reason] if another attempt may succeed.
      def judge(answer, verb, signature)
        status = answer.code.to_i
        return [yield(answer)] if DONE.include?(status)

        code = XML.value(Transport::Answer.text(answer, self), "Code")
        return [] if status == 404 && code != "NoSuchBucket"

        refusal = refusal(answer, code, writing: %i[put delete].include?(verb))
        again = @place.moved?(answer["x-amz-bucket-region"], from: signature.region)
        again ||= ENDED.include?(code) && @credentials.expire(signature.keys)
        raise refusal unless again

        [nil, refusal]
      end

      def refusal(answer, code, writing:)
        hint = LISTABLE if code == "AccessDenied" && !writing
        hint = NO_BUCKET if code == "NoSuchBucket"
        Transport::Answer.refusal(answer, self, writing: writing, fact: code || answer.message, hint: hint)
      end

      def sha256(source)
        source.is_a?(String) ? Store.sha256(source) : Registry::Archive.sha256(source.path)
      end
    end
  end
end
