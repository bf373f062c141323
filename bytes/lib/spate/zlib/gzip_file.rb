# frozen_string_literal: true

module Spate
  module Zlib
    # Base of GzipReader and GzipWriter: an IO-like object, the header fields (RFC 1952), opening and closing.
    class GzipFile
      # Raised for an invalid gzip file.
      class Error < Zlib::Error
        # @return [String, nil] bytes that were read but not used
        attr_reader :input

        # @!visibility private
        def initialize(message = nil, input = nil)
          super(message)
          @input = input
        end

        # @return [String] includes the bytes that were read but not used, if any
        def inspect
          @input ? "#{super.chomp(">")}, input=#{@input.inspect}>" : super
        end
      end

      # Raised when the file ends before its footer is complete.
      class NoFooter < Error
      end

      # Raised when the content does not match the CRC-32 in the footer.
      class CRCError < Error
      end

      # Raised when the content's length (modulo 2**32) differs from the length in the footer.
      class LengthError < Error
      end

      # Uses Object's method, because logs and error messages must not contain the content.
      # @!visibility private
      alias inspect to_s

      # Creates an object. With a block, yields the object and closes it afterwards.
      #
      # @param arguments [Array<Object>] as for `new`
      # @param options [Hash{Symbol => Object}] as for `new`
      # @yieldparam file [GzipFile]
      # @return [GzipFile, Object] the block's value if there is one
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

      # @return [Integer] the level in the header: BEST_SPEED, BEST_COMPRESSION or DEFAULT_COMPRESSION; for a writer,
      #   the level that it was created with
      def level = opened { @level }
      # @return [Integer] the header's operating system (RFC 1952, 2.3): OS_UNIX, ...
      def os_code = opened { @header.os_code }
      # @return [Time] the header's modification time
      def mtime = opened { Time.at(@header.mtime) }
      # @return [String, nil] the header's file name
      def orig_name = opened { @header.orig_name&.dup }
      # @return [String, nil] the header's comment
      def comment = opened { @header.comment&.dup }
      # @return [IO, Object] the underlying object that is read or written
      def to_io = opened { @io }
      # @return [Boolean] whether each write is flushed
      def sync = opened { @sync }

      # Sets whether each write is flushed to the IO, which makes the output larger.
      #
      # @param flag [Boolean]
      def sync=(flag)
        opened { @sync = flag ? true : false }
      end

      # @return [Boolean] whether close or finish was called
      def closed? = !@open

      # Ends the file and closes the IO, even if ending the file raises.
      #
      # @return [IO, Object, nil] the IO; nil if the file was closed before
      def close
        return if closed?

        io = @io
        begin
          finish
        ensure
          io.close if io.respond_to?(:close)
        end
      end

      # Ends the file without closing the IO.
      #
      # @return [IO, Object] the IO
      # @raise [Error] if the file is closed
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

      # Responds to `path` only if the IO does, as in Ruby's zlib library, even if the path is nil.
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
