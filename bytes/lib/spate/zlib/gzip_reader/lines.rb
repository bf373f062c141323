# frozen_string_literal: true

module Spate
  module Zlib
    # Lines and characters: the slow paths of `gets`, `each`, `getc` and similar methods, which are defined in
    # bytes/ext/zlib/gzip/reader.c.
    class GzipReader
      PARAGRAPH = "\n\n".b.freeze
      NEWLINE = "\n".b.freeze
      # Maximum bytes of a character. Other encodings have up to four.
      WIDTHS = { Encoding::BINARY => 1, Encoding::US_ASCII => 1, Encoding::ISO_8859_1 => 1 }.freeze
      private_constant :PARAGRAPH, :NEWLINE, :WIDTHS

      # @return [Integer] the number of the last line read
      def lineno = opened { @lineno }

      # Sets the current line number. Later lines are counted from it.
      #
      # @param number [Integer]
      def lineno=(number)
        opened { @lineno = integer(number) }
      end

      private

      def next_character
        check_open
        return stateful_character if @encodings&.stateful?

        width = WIDTHS.fetch(@encoding, 4)
        fill(width)
        return if at_end?

        character = @buffer.byteslice(@position, width).force_encoding(@encoding)[0]
        @position += character.bytesize
        @encodings ? @encodings.decode(character.force_encoding(Encoding::BINARY)) : character
      end

      # separator: a String, nil for the rest, or "" for paragraphs. limit: in bytes.
      def next_line(separator, limit)
        check_open
        separator = String.try_convert(separator) || raise_no_string(separator) unless separator.nil?
        limit = limit.nil? ? -1 : integer(limit)
        return "".b if limit == 0
        return rest(limit) if separator.nil?

        case separator
        when "" then paragraph(limit)
        when "\n" then line(NEWLINE, limit)
        else line(separator.b, limit)
        end
      end

      def raise_no_string(object)
        raise TypeError, "no implicit conversion of #{object.nil? ? "nil" : object.class} into String"
      end

      def rest(limit)
        if limit < 0
          text = read_all
          return if text.empty?
        else
          fill(limit)
          return if at_end?

          text = decode(shift(boundary([limit, buffered].min)))
        end
        @lineno += 1
        text
      end

      def paragraph(limit)
        skip_newlines
        line(PARAGRAPH, limit)&.tap { skip_newlines }
      end

      def line(separator, limit)
        length = up_to(separator, limit)
        return if length == 0 && at_end?

        @lineno += 1
        decode(shift(length))
      end

      # Returns the number of bytes up to the end of the separator, the limit or the end of the file.
      def up_to(separator, limit)
        searched = 0
        until (found = @buffer.index(separator, @position + searched))
          break if @finished || (limit > 0 && buffered >= limit)

          searched = [buffered - separator.bytesize + 1, 0].max
          fill(buffered + 1)
        end
        length = found ? found + separator.bytesize - @position : buffered
        limit > 0 && length >= limit ? boundary(limit) : length
      end

      # Returns `length`, extended to the end of a character that would be split there.
      def boundary(length)
        return length if WIDTHS.fetch(@encoding, 4) == 1 || (length >= buffered && @finished)

        fill(length + 3)
        text = @buffer.byteslice(@position, length + 3)
        @encoding == Encoding::UTF_8 ? utf8_boundary(text, length) : character_boundary(text, length)
      end

      def utf8_boundary(text, length)
        start = length - 1
        start -= 1 while start > 0 && text.getbyte(start) & 0xc0 == 0x80
        character = text.byteslice(start, 4).force_encoding(@encoding)[0]
        character.valid_encoding? ? start + character.bytesize : length
      end

      # In other encodings, character boundaries can be found only by scanning from the start.
      def character_boundary(text, length)
        finish = 0
        text.force_encoding(@encoding).each_char do |character|
          finish += character.bytesize
          return character.valid_encoding? ? finish : length if finish >= length
        end
        finish
      end

      def skip_newlines
        loop do
          more if buffered == 0
          return if buffered == 0 || @buffer.getbyte(@position) != 10

          @position += 1
        end
      end

      def stateful_character
        loop do
          fill(1)
          return if at_end?

          text = @encodings.decode(shift(1))
          return text unless text.empty?
        end
      end
    end
  end
end
