# frozen_string_literal: true

require "stringio"

module Spate
  module Server
    module Rack
      # env["rack.input"] that can be read more than once: all of the body is waited for when the first byte is wanted,
      # and kept in memory or, where it is long, in a file without a name.
      class Rewindable
        # Bytes that are kept in memory.
        MEMORY = 131_072

        # input: an Input.
        def initialize(input)
          @input = input
        end

        # As IO's methods.
        def read(...) = whole.read(...)
        def readpartial(...) = whole.readpartial(...)
        def gets(*) = whole.gets
        def rewind = @whole ? @whole.rewind : 0
        def size = whole.size
        def eof? = whole.eof?

        def each(&block)
          return to_enum unless block

          whole.each(&block)
          self
        end

        # The request is over for its application.
        def close
          @closed = true
          @whole&.close
          @input.close
        end
        alias close_read close

        # The request is over.
        def release = @whole.is_a?(File) && @whole.close

        def trailers = @input.trailers
        def external_encoding = Encoding::BINARY
        def binmode = self

        private

        def whole
          @whole ||= @closed ? StringIO.new : keep.tap(&:rewind)
        end

        def keep
          kept = StringIO.new("".b)
          @input.each_part do |part|
            kept = file(kept) if kept.is_a?(StringIO) && kept.size + part.bytesize > MEMORY
            kept.write(part)
          end
          kept
        end

        def file(kept)
          require "tempfile"
          Tempfile.create("spate-body", binmode: true).tap do |file|
            File.unlink(file.path)
            file.write(kept.string)
          end
        end
      end
    end
  end
end
