# frozen_string_literal: true

module Spate
  module Util
    # A URI (or text that contains one) in printable form: without user and password, and without a query, which may be
    # a signature. A password may contain anything but a space, so it ends at the last @, except one at the start of a
    # scope's name. A port may be the beginning of the password: it is then replaced by dots.
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
