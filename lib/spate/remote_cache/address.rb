# frozen_string_literal: true

require "uri"

module Spate
  module RemoteCache
    # Where a cache is.
    #
    #   https://user:password@cache.test/spate   kind :http
    #   s3://acme-builds/ruby?region=eu-west-1   kind :s3; also endpoint=URL, path_style=1, profile=NAME
    #   /mnt/cache, file:///mnt/cache            kind :folder
    class Address
      OPTIONS = %w[region endpoint path_style profile].freeze
      # Names of S3, of older buckets and of other servers; never "..".
      BUCKET = /\A(?!.*\.\.)[a-zA-Z0-9][\w.-]{1,253}[a-zA-Z0-9]\z/
      RELATIVE = %r{\A(?:~|\.\.?)(?:/|\z)}
      # To the last @ before the host, which is the first but where something else than a port follows a colon: then a
      # password has a slash.
      USERINFO = %r{\A[^:]+://([^/]+|[^/:\[]*:(?!\d{0,5}/).*)@}
      private_constant :OPTIONS, :BUCKET, :RELATIVE, :USERINFO

      # :http, :s3 or :folder.
      attr_reader :kind
      # Of HTTP: URI without its last slash, user and password.
      attr_reader :uri
      # "user:password", escaped as in a URI, or nil.
      attr_reader :userinfo
      attr_reader :bucket
      # Of S3: what names begin with, with its last slash, or "".
      attr_reader :prefix
      # Of S3: Hash of String to String.
      attr_reader :options
      # Of a folder: absolute.
      attr_reader :path

      # Raises InvalidAddress.
      def self.parse(text) = new(text.to_s)

      # Whether a text is the address of a server, and nothing else.
      def self.endpoint?(text)
        uri = URI(text)
        uri.is_a?(URI::HTTP) && !uri.host.to_s.empty? && !(uri.query || uri.fragment || uri.userinfo)
      rescue URI::Error
        false
      end

      def initialize(text)
        text = text.dup.force_encoding(Encoding::UTF_8) # in any locale
        @text = text.scrub
        legible(text)
        case text
        when %r{\Ahttps?://}i then web(text)
        when %r{\As3://}i then bucket_of(text[5..])
        when %r{\Afile:///}i then folder(URI.decode_www_form_component(text[7..].gsub("+", "%2B")))
        when %r{\A/} then folder(text)
        when RELATIVE
          refuse("is a relative path", hint: "say #{File.expand_path(text).dump[1..-2]} (docs/team-cache.md)")
        else refuse("is neither http, https, s3 nor the absolute path of a folder")
        end
      rescue URI::Error, ArgumentError => e # of the text, or of an escape in it
        refuse("cannot be understood: #{e.message.lines.first.chomp}")
      end

      # As it may be shown: without user and password, and without what a bucket is asked with.
      def to_s
        case kind
        when :http then uri.to_s
        when :s3 then "s3://#{bucket}/#{prefix}".delete_suffix("/")
        else path
        end
      end

      private

      def refuse(expected, **hint) = raise(InvalidAddress.new(@text, expected, **hint))

      # Raises unless it can be shown on a terminal. Answers it.
      def legible(text)
        return text if text.valid_encoding? && !text.match?(/[\p{Cntrl}\p{Bidi_Control}]/)

        refuse("has a character that no address has")
      end

      def web(text)
        @kind = :http
        @userinfo = text[USERINFO, 1]
        @uri = URI(@userinfo ? text.sub("#{@userinfo}@", "") : text)
        refuse("has no host") if @uri.host.to_s.empty?
        refuse("has a query or a fragment, expected a path at most") if @uri.query || @uri.fragment
        refuse("has #{step(@uri.path)} as a step of its path") if step(@uri.path)
        refuse("has an @ in its path, expected %40 there, and %2F for a slash of a password") if @uri.path.include?("@")
        @uri.path = @uri.path.sub(%r{/+\z}, "")
      end

      def bucket_of(text)
        @kind = :s3
        place, query = text.split("?", 2)
        @bucket, inside = place.to_s.split("/", 2)
        refuse("has no bucket's name before its first slash") unless BUCKET.match?(@bucket.to_s)

        @prefix = inside.to_s.gsub(%r{\A/+|/+\z}, "")
        refuse("has #{step(@prefix)} as a step of its path") if step(@prefix) || @prefix.include?("//")
        @prefix = "#{@prefix}/" unless @prefix.empty?
        @options = read_options(query)
      end

      def read_options(query)
        options = URI.decode_www_form(query.to_s).to_h.transform_values { |value| legible(value) }
        unknown = options.keys - OPTIONS
        refuse("has the option #{unknown.first}, expected one of #{OPTIONS.join(", ")}") if unknown.any?
        endpoint = options["endpoint"]
        refuse("has no http or https address as its endpoint") unless endpoint.nil? || Address.endpoint?(endpoint)

        options
      end

      def folder(path)
        @kind = :folder
        @path = legible(path).sub(%r{(?<=.)/+\z}, "")
      end

      # A step that leads elsewhere.
      def step(path) = path.split("/").find { |part| %w[. ..].include?(part.gsub(/%2e/i, ".")) }
    end
  end
end
