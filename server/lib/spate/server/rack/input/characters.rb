# frozen_string_literal: true

module Spate
  module Server
    module Rack
      class Input
        # Reads bytes and characters, with the arguments and results of StringIO. The encoding is binary until the
        # application sets another one.
        module Characters
          # Maximum bytes of a character.
          LONGEST = 4

          def getbyte
            check
            return unless available?

            byte = @rest.getbyte(@position)
            advance(1)
            byte
          end

          # Waits only for the bytes of this character.
          def getc
            check
            return unless available?

            text = start(1)
            text = start(text.bytesize + 1) until text.valid_encoding? || text.bytesize == LONGEST ||
                                                  (left == text.bytesize && !fill)
            take(text[0].bytesize).force_encoding(external_encoding)
          end

          def readbyte = getbyte || raise(EOFError, "end of file reached")
          def readchar = getc || raise(EOFError, "end of file reached")

          # Each of these yields what its reader returns until nil. Without a block, it returns an Enumerator.
          { each_byte: :getbyte, each_char: :getc }.each do |name, reader|
            define_method(name) do |&block|
              next to_enum(name) unless block

              while (unit = public_send(reader))
                block.call(unit)
              end
              self
            end
          end

          def each_codepoint
            return to_enum(:each_codepoint) unless block_given?

            each_char { |character| yield character.ord }
          end

          # Each pushes back a byte, a character, or a String.
          def ungetbyte(byte) = unread(byte.is_a?(Integer) ? (byte & 0xff).chr : byte)
          def ungetc(character) = unread(character.is_a?(Integer) ? character.chr(external_encoding) : character)

          def external_encoding = @encoding || Encoding::BINARY
          def internal_encoding = nil

          # Raises ArgumentError for an internal encoding, because the input does not convert.
          def set_encoding(external, internal = nil)
            encoding = external ? Encoding.find(external) : Encoding.default_external
            raise ArgumentError, "the body cannot be converted to #{internal}" if internal

            @encoding = encoding
            self
          end

          def binmode
            @encoding = nil
            self
          end

          # Properties of an IO without a descriptor.
          def sync = true
          def flush = self
          def fsync = 0
          def tty? = false
          alias isatty tty?
          def fileno = nil
          def pid = nil

          private

          def unread(string)
            check
            put_back(Lines.convert(String, string)) if string
          end

          # Returns the next bytes without reading them.
          def start(count) = @rest.byteslice(@position, count).force_encoding(external_encoding)
        end
      end
    end
  end
end
