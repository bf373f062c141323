# frozen_string_literal: true

require_relative "download"

# Frames as Arrays of bytes, as in a naive HTTP/2 server in Ruby: received bytes are unpacked to Integers, and Integers
# are packed before they are sent.
module Arrays
  module_function

  def read(socket)
    header = socket.read(9)&.unpack("C*") or return
    length = (header[0] << 16) | (header[1] << 8) | header[2]
    stream = header[5, 4].inject { |sum, byte| (sum << 8) | byte }
    [header[3], header[4], stream, length.zero? ? [] : socket.read(length).unpack("C*")]
  end

  def write(socket, type, flags, stream, payload)
    length = payload.length
    frame = [(length >> 16) & 255, (length >> 8) & 255, length & 255, type, flags,
             (stream >> 24) & 255, (stream >> 16) & 255, (stream >> 8) & 255, stream & 255]
    frame += payload
    socket.write(frame.pack("C*"))
  end

  def write_file(socket, stream, file, count, last)
    write(socket, Download::DATA, last ? Download::END_STREAM : 0, stream, file.read(count).unpack("C*"))
  end
end

Download.serve(Arrays)
