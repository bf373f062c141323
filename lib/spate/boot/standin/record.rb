# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      # What is kept, in three parts so that each step reads only its own:
      #
      #   "SPATE STANDIN 1\n" | three lengths, 8 bytes each, little endian | inputs | facts | more
      #
      # Each part is Marshal of plain values. inputs: see Validity; facts: see Activation; more: what is seldom asked of
      # a specification. The image that holds the bytes has a checksum and an owner; nothing here is trusted from
      # elsewhere.
      class Record
        MAGIC = "SPATE STANDIN 1\n"
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

        # Why the real Bundler is to be used always (String), nil where it is not, or where the record is damaged.
        def refused = (inputs[:refused] if readable?)

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
