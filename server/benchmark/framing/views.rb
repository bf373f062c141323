# frozen_string_literal: true

require_relative "download"
require "spate/bytes"

# Frames in an ArrayBuffer, accessed by a DataView: the file is read directly into a frame, and the frame is written
# from the buffer. Plain Ruby, one frame at a time.
class Views
  HEADER = 9

  def initialize
    @buffer = Spate::ArrayBuffer.new(HEADER + 65_536)
    @view = Spate::DataView.new(@buffer)
  end

  def read(socket)
    return if @buffer.read_from(socket, 0, HEADER) != HEADER

    length = @view.get_uint24(0)
    type, flags, stream = @view.get_uint8(3), @view.get_uint8(4), @view.get_uint32(5)
    @buffer.read_from(socket, HEADER, length)
    [type, flags, stream, Spate::Uint8Array.new(@buffer, HEADER, length).to_a]
  end

  def write(socket, type, flags, stream, payload)
    payload.each_with_index { |byte, index| @view.set_uint8(HEADER + index, byte) }
    finish(socket, type, flags, stream, payload.size)
  end

  def write_file(socket, stream, file, count, last)
    @buffer.read_from(file, HEADER, count)
    finish(socket, Download::DATA, last ? Download::END_STREAM : 0, stream, count)
  end

  private

  def finish(socket, type, flags, stream, length)
    @view.set_uint24(0, length)
    @view.set_uint8(3, type)
    @view.set_uint8(4, flags)
    @view.set_uint32(5, stream)
    @buffer.write_to(socket, 0, HEADER + length)
  end
end

Download.serve(Views.new)
