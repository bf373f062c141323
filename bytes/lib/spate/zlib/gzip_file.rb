# frozen_string_literal: true

module Spate
  module Zlib
    # Base of GzipReader and GzipWriter: an IO-like object, the header fields (RFC 1952), opening and closing.
    class GzipFile
      # Something is wrong with a gzip file.
      class Error < Zlib::Error
        # @return [String, nil] what had been read but not used
        attr_reader :input

        # @!visibility private
        def initialize(message = nil, input = nil)
          super(message)
          @input = input
        end

        # @return [String] with what was read but not used, if anything
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
      # @!visibility private
      alias inspect to_s

      # Makes an object, and closes it after the block if there is one.
      #
      # @param arguments [Array<Object>] those of `new`
      # @param options [Hash{Symbol => Object}] those of `new`
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

      # @return [Integer] that of the header: BEST_SPEED, BEST_COMPRESSION or DEFAULT_COMPRESSION; a writer's own
      def level = opened { @level }
      # @return [Integer] the header's number of the system (RFC 1952, 2.3): OS_UNIX, ...
      def os_code = opened { @header.os_code }
      # @return [Time] that of the header
      def mtime = opened { Time.at(@header.mtime) }
      # @return [String, nil] the header's file name
      def orig_name = opened { @header.orig_name&.dup }
      # @return [String, nil] the header's comment
      def comment = opened { @header.comment&.dup }
      # @return [IO, Object] what it reads or writes
      def to_io = opened { @io }
      # @return [Boolean] whether each write is flushed
      def sync = opened { @sync }

      # Whether each write is flushed to the IO, at the cost of size.
      #
      # @param flag [Boolean]
      def sync=(flag)
        opened { @sync = flag ? true : false }
      end

      # @return [Boolean] whether close or finish was called
      def closed? = !@open

      # Ends the file and closes the IO, even if ending it raises.
      #
      # @return [IO, Object, nil] the IO; nil if it was closed before
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
      # @raise [Error] if it is closed
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
