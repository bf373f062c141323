# frozen_string_literal: true

module Spate
  module Server
    # The cases of h2spec: ID, a description, the bytes to send, the expected response. There are 146, and one
    # more (http2/5.4.1/1) in strict mode. Each case uses its own connection, whose preface precedes the bytes unless
    # they are raw. After each of several parts, the client waits for a response.
    #
    #     [:connection, codes]  GOAWAY with one of the codes          :headers   HEADERS on stream 1
    #     [:stream, codes]      RST_STREAM or GOAWAY with one         :pong      the response to the final PING
    #     [:data, bytes]        DATA of this length                   :settings  ours; :settings_ack, :closed
    module H2specCases
      Case = Struct.new(:id, :name, :parts, :expected, :raw)

      PING = Wire.frame(6, 0, 0, "12345678")
      GET = "\x82\x86\x84\x41\x01x".b.freeze
      POST = "\x83\x86\x84\x41\x01x".b.freeze
      MORE = "\x00\x07x-dummy\x05dummy".b.freeze
      NOTHING = "\0" * 8
      UNKNOWN = Wire.frame(0x16, 0, 0, NOTHING)

      def self.all = @all ||= []

      def self.expect(id, name, expected, *parts, raw: false)
        all << Case.new(id, name, parts.map(&:b), expected, raw).freeze
      end

      def self.connection(*codes) = [:connection, codes]
      def self.stream(*codes) = [:stream, codes]

      def self.join(*parts) = parts.map(&:b).join
      def self.frame(...) = Wire.frame(...)
      def self.headers(block = GET, flags: 5, id: 1) = Wire.frame(1, flags, id, block)
      def self.data(bytes = "test", flags: 1, id: 1) = Wire.frame(0, flags, id, bytes)
      def self.continuation(block = MORE, flags: 4, id: 1) = Wire.frame(9, flags, id, block)
      def self.word(type, id, number) = Wire.frame(type, 0, id, [number].pack("N"))
      def self.priority(id, dependence = 0, weight = 255) = Wire.frame(2, 0, id, [dependence, weight].pack("NC"))
      def self.settings(*pairs) = Wire.frame(4, 0, 0, pairs.flatten.pack("nN" * pairs.size))

      # Returns a literal field that is never indexed.
      def self.field(name, value) = join([0, name.bytesize].pack("CC"), name, [value.bytesize].pack("C"), value)
    end
  end
end

%w[generic http2].each { |name| require_relative "h2spec_cases/#{name}" }
