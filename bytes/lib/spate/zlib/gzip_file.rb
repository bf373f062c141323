# frozen_string_literal: true

module Spate
  module Zlib
    # Base of GzipReader and GzipWriter: an IO-like object, the header fields (RFC 1952), opening and closing.
    class GzipFile
      # Something is wrong with a gzip file; `input` is what had been read but not used, or nil.
      class Error < Zlib::Error
        attr_reader :input

        def initialize(message = nil, input = nil)
          super(message)
          @input = input
        end

        # With what was read but not used, if anything.
        def inspect
          @input ? "#{super.chomp(">")}, input=#{@input.inspect}>" : super
        end
      end

      # The file ends before its footer is complete.
      class NoFooter < Error
      end

      # The content does not match the footer's CRC-32.
      class CRCError < Error
      end

      # The content's length is not the footer's (modulo 2**32).
      class LengthError < Error
      end

      # Object's: the content is not for logs and error messages.
      alias inspect to_s

      # With a block, its value, with the new object closed after it; else the object.
      def self.wrap(*arguments, **options, &block)
        closing(new(*arguments, **options), &block)
      end

      def self.open_file(name, mode, arguments, options, &block)
        io = File.open(name, mode)
        begin
          file = new(io, *arguments, **options)
        ensure
          io.close unless file
        end
        closing(file, &block)
      end

      def self.closing(file)
        return file unless block_given?

        begin
          yield file
        ensure
          file.close
        end
      end
      private_class_method :closing
      private_class_method :open_file

      # According to the header: BEST_SPEED, BEST_COMPRESSION or DEFAULT_COMPRESSION; of a writer, the level given.
      def level = opened { @level }
      # Facts of the header (RFC 1952, 2.3): the system's number (OS_UNIX, ...); Time; name and comment, String or nil.
      def os_code = opened { @header.os_code }
      def mtime = opened { Time.at(@header.mtime) }
      def orig_name = opened { @header.orig_name&.dup }
      def comment = opened { @header.comment&.dup }
      # The IO under it.
      def to_io = opened { @io }
      # Whether each write is flushed.
      def sync = opened { @sync }

      # true: each write is flushed to the IO, at the cost of size.
      def sync=(flag)
        opened { @sync = flag ? true : false }
      end

      # Whether close or finish was called.
      def closed? = !@open

      # Ends the file and closes the IO, even if ending it raises. Returns the IO, nil if it was closed before.
      def close
        return if closed?

        io = @io
        begin
          finish
        ensure
          io.close if io.respond_to?(:close)
        end
      end

      # Ends the file and returns the IO, which stays open.
      def finish
        raise Error, "closed gzip stream" unless @open

        io = @io
        begin
          finish_stream
        ensure
          @stream&.close
          @open = false
          @io = nil
        end
        io
      end

      private

      # As in Ruby's own library: there is a `path` only if the IO has one, even if it is nil.
      def method_missing(name, *arguments)
        return super if name != :path || !defined?(@path)
        raise ArgumentError, "wrong number of arguments (given #{arguments.size}, expected 0)" if arguments.any?

        @path
      end

      def respond_to_missing?(name, _all)
        (name == :path && !defined?(@path).nil?) || super
      end

      def attach(io, options)
        @encodings = options.empty? ? nil : Encodings.new(options)
        @encoding = @encodings ? @encodings.target : Encoding.default_external
        @sync = false
        @io = io
        @open = true
        @path = io.path if io.respond_to?(:path)
      rescue IOError
        nil # a File without a name, before Ruby 3.2
      end

      def opened
        raise Error, "closed gzip stream" unless @open

        yield
      end
    end
  end
end
