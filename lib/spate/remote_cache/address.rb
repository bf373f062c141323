# frozen_string_literal: true

require "uri"

module Spate
  module RemoteCache
    # The location of a cache. Examples:
    #
    #   https://user:password@cache.test/spate   kind :http
    #   s3://acme-builds/ruby?region=eu-west-1   kind :s3; also endpoint=URL, path_style=1, profile=NAME
    #   /mnt/cache, file:///mnt/cache            kind :folder
    class Address
      OPTIONS = %w[region endpoint path_style profile].freeze
      # Accepts bucket names of S3, old and new, and of other servers, but never "..".
      BUCKET = /\A(?!.*\.\.)[a-zA-Z0-9][\w.-]{1,253}[a-zA-Z0-9]\z/
      RELATIVE = %r{\A(?:~|\.\.?)(?:/|\z)}
      # Matches up to the last @ before the first slash. If a colon is not followed by a port, the password may contain
      # a slash, and the match ends at the last @ of the text.
      USERINFO = %r{\A[^:]+://([^/]+|[^/:\[]*:(?!\d{0,5}/).*)@}
      private_constant :OPTIONS, :BUCKET, :RELATIVE, :USERINFO

      # :http, :s3 or :folder.
      attr_reader :kind
      # Only for :http. The URI without a trailing slash, user and password.
      attr_reader :uri
      # "user:password", escaped as in a URI, or nil.
      attr_reader :userinfo
      attr_reader :bucket
      # Only for :s3. The prefix of all names, with a slash at its end, or "".
      attr_reader :prefix
      # Only for :s3. Hash of String to String.
      attr_reader :options
      # Only for :folder. An absolute path.
      attr_reader :path

      # Raises InvalidAddress.
      def self.parse(text) = new(text.to_s)

      # Whether the text is an http or https address without query, fragment, user and password.
      def self.endpoint?(text)
        uri = URI(text)
        uri.is_a?(URI::HTTP) && !uri.host.to_s.empty? && !(uri.query || uri.fragment || uri.userinfo)
      rescue URI::Error
        false
      end

      def initialize(text)
        text = text.dup.force_encoding(Encoding::UTF_8) # independent of the locale
        @text = text.scrub
        check_printable(text)
        case text
        when %r{\Ahttps?://}i then web(text)
        when %r{\As3://}i then bucket_of(text[5..])
        when %r{\Afile:///}i then folder(URI.decode_www_form_component(text[7..].gsub("+", "%2B")))
        when %r{\A/} then folder(text)
        when RELATIVE
          refuse("is a relative path", hint: "write #{File.expand_path(text).dump[1..-2]} (docs/team-cache.md)")
        else refuse("is neither http, https, s3 nor the absolute path of a folder")
        end
      rescue URI::Error, ArgumentError => e # invalid text, or an invalid escape in it
        refuse("is invalid: #{e.message.lines.first.chomp}")
      end

      # The address for display: without user and password, and without the options of a bucket.
      def to_s
        case kind
        when :http then uri.to_s
        when :s3 then "s3://#{bucket}/#{prefix}".delete_suffix("/")
        else path
        end
      end

      private

      def refuse(expected, **hint) = raise(InvalidAddress.new(@text, expected, **hint))

      # Returns the text. Raises InvalidAddress unless a terminal can show it.
      def check_printable(text)
        return text if text.valid_encoding? && !text.match?(/[\p{Cntrl}\p{Bidi_Control}]/)

        refuse("has an invalid character")
      end

      def web(text)
        @kind = :http
        @userinfo = text[USERINFO, 1]
        @uri = URI(@userinfo ? text.sub("#{@userinfo}@", "") : text)
        refuse("has no host") if @uri.host.to_s.empty?
        refuse("has a query or a fragment, expected only a path") if @uri.query || @uri.fragment
        refuse("has #{step(@uri.path)} in its path") if step(@uri.path)
        refuse("has an @ in its path, expected %40 there, and %2F for a slash of a password") if @uri.path.include?("@")
        @uri.path = @uri.path.sub(%r{/+\z}, "")
      end

      def bucket_of(text)
        @kind = :s3
        place, query = text.split("?", 2)
        @bucket, inside = place.to_s.split("/", 2)
        refuse("has an invalid bucket name") unless BUCKET.match?(@bucket.to_s)

        @prefix = inside.to_s.gsub(%r{\A/+|/+\z}, "")
        refuse("has #{step(@prefix)} in its path") if step(@prefix) || @prefix.include?("//")
        @prefix = "#{@prefix}/" unless @prefix.empty?
        @options = read_options(query)
      end

      def read_options(query)
        options = URI.decode_www_form(query.to_s).to_h.transform_values { |value| check_printable(value) }
        unknown = options.keys - OPTIONS
        refuse("has the option #{unknown.first}, expected one of #{OPTIONS.join(", ")}") if unknown.any?
        endpoint = options["endpoint"]
        return options if endpoint.nil? || Address.endpoint?(endpoint)

        refuse("has an invalid endpoint: expected an http or https address")
      end

      def folder(path)
        @kind = :folder
        @path = check_printable(path).sub(%r{(?<=.)/+\z}, "")
      end

      # The first "." or ".." in a path, or nil.
      def step(path) = path.split("/").find { |part| %w[. ..].include?(part.gsub(/%2e/i, ".")) }
    end
  end
end
