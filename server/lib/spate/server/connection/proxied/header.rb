# frozen_string_literal: true

require "ipaddr"

module Spate
  module Server
    class Connection
      class Proxied < Transport
        # The header of the PROXY protocol, version 1 or 2 (proxy-protocol.txt of HAProxy).
        #
        # Version 1 is a line: "PROXY TCP4 192.0.2.1 192.0.2.9 4711 443\r\n", or "PROXY UNKNOWN\r\n". Version 2:
        #
        #     +------------------------+-----------------+----------------+--------------+-----------+
        #     | SIGNATURE (12)         | version 4 bits, | family 4 bits, | length (16)  | addresses |
        #     |                        | command 4 bits  | transport 4    |              | and TLVs  |
        #     +------------------------+-----------------+----------------+--------------+-----------+
        #
        class Header
          SIGNATURE = "\r\n\r\n\0\r\nQUIT\n".b.freeze
          # Maximum bytes of a line of version 1, and of the addresses and TLVs of version 2.
          LONGEST_LINE = 107
          MOST = 4096
          LINE = /\APROXY\ (?:(?<unknown>UNKNOWN)(?:\ [^\r\n]*)?|
                    TCP(?<family>[46])\ (?<client>[\h.:]+)\ [\h.:]+\ \d{1,5}\ \d{1,5})\r\n\z/nx

          # length: of the header in bytes. address: the client's, or nil if the proxy sends none.
          attr_reader :length, :address

          def initialize(length, address)
            @length = length
            @address = address
          end

          # Returns nil when the header is incomplete. Raises Errno::EPROTO.
          def self.parse(bytes)
            start = bytes.byteslice(0, SIGNATURE.bytesize)
            return if start.bytesize < 12 && (SIGNATURE.start_with?(start) || "PROXY ".start_with?(start))

            start == SIGNATURE ? parse_binary(bytes) : parse_line(bytes)
          rescue IPAddr::Error
            raise Errno::EPROTO, "invalid address in the PROXY header"
          end

          def self.parse_line(bytes)
            line = bytes.byteslice(0, LONGEST_LINE)[/\A[^\n]*\n/n]
            return if line.nil? && bytes.bytesize < LONGEST_LINE && bytes.start_with?("PROXY ")

            match = LINE.match(line.to_s) or raise Errno::EPROTO, "the PROXY header is missing or malformed"
            new(line.bytesize, match[:unknown] ? nil : address(match))
          end

          def self.address(match)
            address = IPAddr.new(match[:client])
            raise Errno::EPROTO, "invalid address in the PROXY header" if address.ipv4? != (match[:family] == "4")

            address.to_s
          end

          def self.parse_binary(bytes)
            return if bytes.bytesize < 16

            command, family, size = bytes.unpack("@12CCn")
            raise Errno::EPROTO, "unknown version or command in the PROXY header" unless [0x20, 0x21].include?(command)
            raise Errno::EPROTO, "the PROXY header has #{size} bytes; the limit is #{MOST}" if size > MOST
            return if bytes.bytesize < 16 + size

            new(16 + size, command == 0x20 ? nil : binary_address(bytes.byteslice(16, size), family >> 4))
          end

          # Returns nil for families other than IPv4 (1) and IPv6 (2).
          def self.binary_address(addresses, family)
            length = { 1 => 4, 2 => 16 }[family] or return
            raise Errno::EPROTO, "incomplete addresses in the PROXY header" if addresses.bytesize < (length * 2) + 4

            IPAddr.new_ntoh(addresses.byteslice(0, length)).to_s
          end
          private_class_method :parse_line, :parse_binary, :address, :binary_address
        end
      end
    end
  end
end
