# frozen_string_literal: true

require "digest"

module Spate
  module JS
    module Pnpm
      module DepPath
        # MD5 in the letters of RFC 4648, as pnpm named long slots and patches up to its ninth version.
        module Base32
          LETTERS = "abcdefghijklmnopqrstuvwxyz234567"

          def self.md5(text)
            bits = Digest::MD5.digest(text).unpack1("B*")
            bits.scan(/.{1,5}/).map { |five| LETTERS[five.ljust(5, "0").to_i(2)] }.join
          end
        end
      end
    end
  end
end
