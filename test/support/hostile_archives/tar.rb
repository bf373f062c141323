# frozen_string_literal: true

module HostileArchives
  # Builds tar archives byte by byte, for invalid members. The header is POSIX ustar, 512 bytes.
  module Tar
    BLOCK = 512
    FIELDS = "a100a8a8a8a12a12a8a1a100a6a2a32a32a8a8a155a12"
    ENDING = ("\0" * (2 * BLOCK)).b.freeze

    module_function

    # size: in the header, an Integer or the field's raw bytes; by default the size of the content.
    def member(name, content = "", type: "0", link: "", mode: 0o644, size: nil)
      content = content.b
      header(name, size || content.bytesize, type, link, mode) + padded(content)
    end

    def header(name, size, type, link, mode)
      size = format("%011o", size) if size.is_a?(Integer)
      fields = [name.b, format("%07o", mode), "0000000", "0000000", size.b, "00000000000", " " * 8, type, link.b,
                "ustar\0", "00", "root", "root", "0000000", "0000000", "", ""]
      bytes = fields.pack(FIELDS)
      bytes[148, 8] = format("%06o\0 ", bytes.sum(32))
      bytes
    end

    # An extended header (POSIX pax) for the following member. facts: {keyword => value}.
    def pax(facts, type: "x")
      member("PaxHeaders/0", facts.map { |key, value| record(key, value) }.join, type: type)
    end

    # "LENGTH KEY=VALUE\n". LENGTH includes itself.
    def record(key, value)
      body = " #{key}=#{value}\n".b
      length = body.bytesize + 1
      length += 1 while length != body.bytesize + length.to_s.bytesize
      "#{length}#{body}".b
    end

    def padded(content) = content + ("\0" * (-content.bytesize % BLOCK))
    def archive(*members) = members.join + ENDING
  end
end
