# frozen_string_literal: true

module Spate
  module Server
    class Files
      # One form of a file, uncompressed or compressed (RFC 9110, section 3.2). The entity tag consists of the file's
      # size, mtime and inode.
      class Representation
        # Suffix of the weak tag of a representation made by gzip. The tag is weak because a different version of zlib
        # may compress the same content differently.
        MADE = "-gzip"

        # name: the name in the folder. found: the Native::Found. etag: '"2f-17a…-9"'. modified, seconds: the
        # modification time as text and in seconds. coding: "gzip" or nil. content: all bytes, or nil when they are not
        # in memory.
        attr_reader :name, :found, :etag, :modified, :seconds, :coding
        attr_accessor :content

        # found: a Native::Found, open or closed. coding: the coding of a precompressed file.
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

        # Returns the Native::Found while it is still open, but only once. The caller closes it.
        def take
          return unless @fresh

          @fresh = false
          @found
        end

        # Returns the representation that gzip produces from this one. Its length is known once `content` is set.
        def gzipped
          other = dup
          other.become_gzip
          other
        end

        def made? = @made || false
        def size = @made ? @content&.bytesize : @found.size

        # Fields of a complete response with the current date. Returns the same frozen Hash during one second, so that
        # the write buffer need not encode it again.
        def whole
          date = Response::HTTPDate.now
          return @whole if date.equal?(@date)

          @date = date
          fields = @full.merge("date" => date)
          fields["content-length"] = size.to_s.freeze if size
          @whole = fields.freeze
        end

        # Fields of a partial response. The caller adds more fields.
        def part = @full.dup
        # Fields of a response without content.
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
