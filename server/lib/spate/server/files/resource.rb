# frozen_string_literal: true

module Spate
  module Server
    class Files
      # A file and its representations.
      class Resource
        # name: "sub/page.html". plain: the Representation of the uncompressed file. siblings: { coding => [seconds
        # since 1970 of the last look-up, Representation or nil] }. varies: whether the response varies by
        # accept-encoding.
        attr_reader :name, :plain, :siblings, :varies
        # The Representation made by gzip, possibly unfinished, or nil.
        attr_accessor :gzipped
        # Bytes that the cache counts for this resource.
        attr_accessor :weight

        def initialize(name, found, type, varies)
          @name = name
          @plain = Representation.new(name, found, type, vary: varies)
          @type = type
          @varies = varies
          @siblings = {}
        end

        # Whether the file's times are old enough to detect another change. A file that changed just now may change
        # again within the same tick of the file system's clock.
        def settled?(now) = [@plain.found.ctime, @plain.found.mtime].all? { |time| now - time > SETTLED }

        # Returns a representation with the same content in another file.
        def sibling(name, found, coding) = Representation.new(name, found, @type, coding: coding, vary: true)

        # Bytes of content in memory.
        def bytes = [@plain, @gzipped, *@siblings.each_value.map(&:last)].sum { |one| one&.content&.bytesize || 0 }

        SETTLED = 2_000_000_000
        private_constant :SETTLED
      end
    end
  end
end
