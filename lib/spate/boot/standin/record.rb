# frozen_string_literal: true

require_relative "../../version"

module Spate
  module Boot
    module Standin
      # What is kept, in three parts so that each step reads only its own:
      #
      #   "SPATE STANDIN 7 0.1.0\n" | three lengths, 8 bytes each, little endian | inputs | facts | more
      #
      # Each part is Marshal of plain values. inputs: see Validity; facts: see Activation; more: what is seldom asked of
      # a specification. The image that holds the bytes has a checksum and an owner; nothing here is trusted from
      # elsewhere. The first line names the
      # format and the Spate that made it, for another one may ask for other facts.
      class Record
        FORMAT = 7
        NAME = "SPATE STANDIN "
        MAGIC = "#{NAME}#{FORMAT} #{VERSION}\n".freeze
        HEAD = MAGIC.bytesize + 24

        def self.bytes(inputs, facts = {}, more = [])
          parts = [inputs, facts, more].map { |part| Marshal.dump(part) }
          MAGIC.b << parts.map(&:bytesize).pack("Q<3") << parts.join
        end

        def initialize(bytes)
          @bytes = bytes
        end

        # Whether the bytes are a record of this version, and whole.
        def readable?
          @bytes.bytesize >= HEAD && @bytes.byteslice(0, MAGIC.bytesize) == MAGIC &&
            @bytes.bytesize == HEAD + lengths.sum
        end

        # Why it cannot be read (String), nil where it can.
        def unreadable
          return if readable?

          line = @bytes.byteslice(0, @bytes.index("\n").to_i + 1)
          foreign = line.start_with?(NAME) && line != MAGIC
          foreign ? "the record was made by another Spate" : "the record is damaged"
        end

        # Why the real Bundler is to be used (String), nil where it is not, or where the record cannot be read.
        def refused = (inputs[:refused] if readable?)

        # Whether another one is worth making: this one cannot be read, or is of another bundle than there is now, or
        # what Bundler looked at changed at that moment. Made anew for a program that runs in another folder than the
        # Gemfile expects, it would be the same.
        def outdated? = (refused.nil? && !elsewhere?) || (readable? && inputs[:again] == true)

        # Whether the program runs in another folder than the record depends on.
        def elsewhere? = readable? && !inputs[:folder].nil? && !File.identical?(".", inputs[:folder])

        def inputs = @inputs ||= part(0)
        def facts = @facts ||= part(1)
        def more = @more ||= part(2)

        private

        def lengths = @lengths ||= @bytes.byteslice(MAGIC.bytesize, 24).unpack("Q<3")

        def part(index)
          text = @bytes.byteslice(HEAD + lengths.first(index).sum, lengths[index])
          Marshal.load(text) # rubocop:disable Security/MarshalLoad -- the image is checked and the user's own
        end
      end
    end
  end
end
