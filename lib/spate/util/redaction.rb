# frozen_string_literal: true

module Spate
  module Util
    # A printable form of a URI, or of text that contains one: without user and password, and without a query, which may
    # be a signature. A password may contain anything except a space, so it extends to the last @ that does not start
    # the name of a scope. If a port could be the beginning of a password, dots replace it.
    module Redaction
      LAST = %r{(?:\S*(?<!/)@|\S*@)}
      USER = %r{://(?:(?!\[)[^/\s:@]*:(?:(?!\d{1,5}/)#{LAST}|(?<doubt>\d{1,5}/\S*(?<!/)@))|[^/\s]+@)}
      QUERY = %r{(?<before>://[^\s?]+\?)\S*[^\s,;:)]}
      private_constant :LAST, :USER, :QUERY

      def self.of(text)
        text.to_s.gsub(USER) { Regexp.last_match(:doubt) ? "://...@" : "://" }.gsub(QUERY, '\k<before>...')
      end
    end
  end
end
