# frozen_string_literal: true

module Spate
  # A block of bytes that views read and write. The length is fixed, or resizable up to a maximum. ECMA-262 section
  # 25.1.
  #
  #     buffer = Spate::ArrayBuffer.new(8)
  #     Spate::DataView.new(buffer).set_uint16(0, 0xcafe)
  #     buffer.to_s # => "\xCA\xFE\x00\x00\x00\x00\x00\x00"
  class ArrayBuffer
    # Copies the bytes of an object.
    #
    # @param source [String, ArrayBuffer, DataView, TypedArray, Enumerable<Integer>, IO::Buffer, #to_str] or any object
    #   with a MemoryView. Integers are taken modulo 256
    # @return [ArrayBuffer]
    # @raise [TypeError] for other objects
    def self.from(source)
      case source
      when String then Uint8Array.new(source.bytesize).tap { |bytes| bytes.set_bytes(0, source) }.buffer
      when ArrayBuffer then source.slice
      when DataView, TypedArray then source.buffer.slice(source.byte_offset, source.byte_offset + source.byte_length)
      when Enumerable then Uint8Array.new(source).buffer
      else from_foreign(source)
      end
    end

    # Copies the bytes of an IO::Buffer, of an object with `to_str`, or of a MemoryView.
    def self.from_foreign(source)
      shown = defined?(::IO::Buffer) && source.is_a?(::IO::Buffer) && source.respond_to?(:get_string)
      return from(source.get_string) if shown

      source.respond_to?(:to_str) ? from(String.try_convert(source)) : from_memory_view(source)
    end
    private_class_method :from_foreign
  end
end
