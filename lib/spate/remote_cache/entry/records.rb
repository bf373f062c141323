# frozen_string_literal: true

require "zlib"

module Spate
  module RemoteCache
    # Sent with an entry, so that one answer decides whether a build fits: a record of inputs, one of what it needs
    # to run (both as Inputs writes them, without stamps), and the facts (Build::Cache::Record), as bytes.
    Entry::Records = Struct.new(:inputs, :needs, :facts) do
      # Raises Malformed.
      def self.unpack(packed)
        raise Malformed, "records of more than #{self::PACKED} bytes" if packed.bytesize > self::PACKED

        head, rest = inflate(packed).split("\n", 2)
        lengths = head.to_s[/\A\d{1,8} \d{1,8} \d{1,8}\z/n]&.split&.map(&:to_i)
        raise Malformed, "records of another format" unless lengths && lengths.sum == rest&.bytesize

        new(*lengths.map { |length| rest.slice!(0, length) })
      end

      def self.inflate(packed)
        out = String.new(encoding: Encoding::BINARY)
        zlib = Zlib::Inflate.new
        zlib.inflate(packed) do |piece|
          out << piece
          raise Malformed, "records of more than #{self::LIMIT} bytes" if out.bytesize > self::LIMIT
        end
        whole = zlib.finished? && zlib.total_in == packed.bytesize
        raise Malformed, "records that end too early or too late" unless whole

        out
      rescue Zlib::Error => e
        raise Malformed, "records that are damaged: #{e.message}"
      ensure
        zlib&.close
      end
      private_class_method :inflate

      # Bytes; the same for the same records.
      def pack
        packed = Zlib::Deflate.deflate("#{map(&:bytesize).join(" ")}\n".b + map(&:b).join)
        raise Refused, "it depends on too much to be sent" if packed.bytesize > self.class::PACKED

        packed
      end
    end

    # Bytes, packed and not.
    Entry::Records::PACKED = 1 << 20
    Entry::Records::LIMIT = 16 << 20
  end
end
