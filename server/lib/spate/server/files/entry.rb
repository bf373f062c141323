# frozen_string_literal: true

module Spate
  module Server
    class Files
      # What is told of a file. The tag is of size, mtime and inode; the content is here where the file is small.
      class Entry
        attr_reader :etag, :modified, :type, :size
        attr_accessor :content

        def initialize(stat, type)
          @size = stat.size
          @inode = stat.ino
          @device = stat.dev
          @mtime = stat.mtime
          @ctime = stat.ctime
          @type = type
          @modified = HTTPDate.of(@mtime).freeze
          @etag = format('"%<size>x-%<time>x-%<inode>x"', size: @size, inode: @inode,
                                                          time: @mtime.to_i * 1_000_000_000 + @mtime.nsec).freeze
        end

        # Whether a path still leads to the same file, with the same content.
        def same?(stat)
          stat.ino == @inode && stat.dev == @device && stat.size == @size &&
            stat.ctime == @ctime && stat.mtime == @mtime
        end

        # A file that changed just now may change again within the same tick of the file system's clock.
        def settled?(now) = now - @ctime > 2 && now - @mtime > 2

        def body(file, first, length)
          return Body::FileRange.new(file, first, length) unless @content

          Body::Bytes.new(length == @size ? @content : @content.byteslice(first, length))
        end
      end
    end
  end
end
