# frozen_string_literal: true

module Spate
  module Server
    module Profile
      # Marshal.load for files that come from elsewhere: only numbers, Strings, Symbols, Arrays and Hashes are let in. A
      # marshalled object of any other class could run code while it is loaded.
      module SafeMarshal
        # Nested deeper than any dump is.
        DEPTH = 64

        # Unreadable where there is anything else.
        def self.load(bytes, path)
          Walk.new(bytes).check
          Marshal.load(bytes) # rubocop:disable Security/MarshalLoad
        rescue Refused, ArgumentError, TypeError => e
          raise Unreadable.new(path, "is no plain marshalled data: #{e.message}")
        end

        class Refused < StandardError
        end

        # Goes over the bytes as Marshal would (doc/marshal.rdoc of Ruby), and makes nothing of them.
        class Walk
          def initialize(bytes)
            @bytes = bytes.b
            @at = 2
          end

          def check
            raise Refused, "its version is not 4.8" unless @bytes.start_with?("\x04\x08".b)

            value(0)
            raise Refused, "bytes follow its end" if @at != @bytes.bytesize
          end

          private

          def value(depth)
            raise Refused, "it is nested too deep" if depth > DEPTH

            case kind = take(1)
            when "0", "T", "F" then nil
            when "i", ";", "@" then number
            when '"', ":", "f" then take(number)
            when "l" then long
            when "I" then with_variables(depth)
            when "[" then number.times { value(depth + 1) }
            when "{" then (number * 2).times { value(depth + 1) }
            else raise Refused, "it has a #{kind.inspect}"
            end
          end

          # A String or a Symbol, and its encoding.
          def with_variables(depth)
            raise Refused, "variables of no String" unless ['"', ":"].include?(take(1))

            take(number)
            number.times do
              value(depth + 1)
              value(depth + 1)
            end
          end

          def long
            take(1)
            take(number * 2)
          end

          def take(count)
            raise Refused, "it ends early" if count.negative? || @at + count > @bytes.bytesize

            @bytes.byteslice(@at, count).tap { @at += count }
          end

          # One byte for small ones, else how many follow; negative lengths are refused where they are used.
          def number
            first = take(1).unpack1("c")
            return 0 if first.zero?
            return first - (first <=> 0) * 5 if first.abs > 4

            bytes = take(first.abs).bytes
            size = bytes.each_with_index.sum { |byte, index| byte << (8 * index) }
            first.positive? ? size : size - (1 << (8 * first.abs))
          end
        end
        private_constant :Walk
      end
    end
  end
end
