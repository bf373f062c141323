# frozen_string_literal: true

module Spate
  module Server
    class Files
      # One form of a file, as it is or coded: RFC 9110, section 3.2. Its tag is made of size, mtime and inode.
      class Representation
        # A weak tag: whether gzip makes the same bytes of the same content again tomorrow is zlib's to say.
        MADE = "-gzip"

        # What it is read from: the name in the folder and what was found there; '"2f-17a…-9"'; the text of the time and
        # its seconds; "gzip" or nil; all bytes, or nil where they are not in memory.
        attr_reader :name, :found, :etag, :modified, :seconds, :coding
        attr_accessor :content

        # found: a Native::Found, open or closed. coding: of a sibling that is found.
        def initialize(name, found, type, coding: nil, vary: false)
          @name = name
          @found = found
          @coding = coding
          @seconds = found.mtime / 1_000_000_000
          @modified = Response::HTTPDate.of(Time.at(@seconds)).freeze
          @etag = format('"%<size>x-%<time>x-%<inode>x"', size: found.size, time: found.mtime,
                                                          inode: found.inode).freeze
          @basic = { "etag" => @etag, "last-modified" => @modified }
          @basic["vary"] = "accept-encoding" if vary
          @full = @basic.merge("accept-ranges" => "bytes", "content-type" => type)
          @full["content-encoding"] = coding if coding
          @fresh = true
        end

        # What was found, once and while it is still open; the caller closes it.
        def take
          return unless @fresh

          @fresh = false
          @found
        end

        # The one that gzip is to make of this one. Its length is known once `content` is there.
        def gzipped
          other = dup
          other.become_gzip
          other
        end

        def made? = @made || false
        def size = @made ? @content&.bytesize : @found.size

        # Fields of a whole answer, of today, made once a second: the same Hash all through it, and frozen in all its
        # parts, so that the write buffer need not encode it again.
        def whole
          date = Response::HTTPDate.now
          return @whole if date.equal?(@date)

          @date = date
          fields = @full.merge("date" => date)
          fields["content-length"] = size.to_s.freeze if size
          @whole = fields.freeze
        end

        # Fields of a part's answer, to be added to.
        def part = @full.dup
        # Of one without content.
        def basic = @basic.dup

        protected

        def become_gzip
          @made = true
          @fresh = false
          @coding = "gzip"
          @content = @date = nil
          @etag = %(W/#{@etag[0..-2]}#{MADE}").freeze
          @basic = @basic.merge("etag" => @etag)
          @full = @full.merge("etag" => @etag, "content-encoding" => "gzip").reject { |name,| name == "accept-ranges" }
        end
      end
    end
  end
end
