# frozen_string_literal: true

require "digest"

module Spate
  module JS
    module Pnpm
      # A snapshot's key: `name@version`, then `(patch_hash=...)`, then parentheses with the key of each peer, which can
      # be nested: "foo@1.0.0(patch_hash=ab)(bar@2.0.0(baz@3.0.0))".
      module DepPath
        UNSAFE = %r{[\\/:*?"<>|#]}
        OLD_UNSAFE = %r{[\\/:*?"<>|]}
        # Length of the digest and its separator in a shortened name; OLD_DIGEST applies up to pnpm 9.
        DIGEST = 33
        OLD_DIGEST = 27

        module_function

        # [name, version and suffix]. Raises LockfileError.
        def split(key)
          at = key.index("@", 1)
          if at.nil? || at == key.size - 1
            raise LockfileError, "pnpm-lock.yaml: expected `name@version`, found #{key.inspect}"
          end

          [key[0, at], key[(at + 1)..]]
        end

        # The snapshot key of a dependency; nil for a link. reference: "1.0.0(peer@2.0.0)", "link:../a", or a whole key
        # if the alias differs from the package's name.
        def resolve(name, reference)
          return if reference.start_with?("link:")

          whole?(reference) ? reference : "#{name}@#{reference}"
        end

        def whole?(reference)
          return true if reference.start_with?("@")

          at = reference.index("@") or return false
          parenthesis = reference.index("(")
          colon = reference.index(":")
          (parenthesis.nil? || at < parenthesis) && (colon.nil? || at < colon)
        end

        # The key in `packages`: without patch and peers.
        def package(key)
          return key unless key.end_with?(")")

          key[0, suffix_at(key)]
        end

        # The key without peers, but with its patch.
        def with_patch(key)
          return key unless key.end_with?(")")

          at = suffix_at(key)
          return key[0, at] unless key[at..].start_with?("(patch_hash=")

          key[0..key.index(")", at)]
        end

        # Where the last run of balanced parentheses begins.
        def suffix_at(key)
          open = 1
          (key.size - 2).downto(0) do |at|
            case key[at]
            when "(" then open -= 1
            when ")" then open += 1
            else return at + 1 if open.zero?
            end
          end
          raise LockfileError, "pnpm-lock.yaml: #{key.inspect} has an unbalanced parenthesis"
        end

        # The slot's folder in the virtual store. Names with capital letters get a digest, because some file systems
        # ignore case. old: use the names of pnpm up to 9.
        def file_name(key, longest, old: false)
          name = key.start_with?("file:") ? key.sub(":", "+") : key
          name = name.gsub(old ? OLD_UNSAFE : UNSAFE, "+")
          name = name.delete_suffix(")").gsub(")(", "_").tr("()", "_") if name.include?("(")
          return name if name.bytesize <= longest && (name.downcase(:ascii) == name || name.start_with?("file+"))

          rest = [longest - (old ? OLD_DIGEST : DIGEST), 0].max
          "#{name.byteslice(0, rest).scrub("")}_#{old ? Base32.md5(name) : Digest::SHA256.hexdigest(name)[0, 32]}"
        end

        # MD5 in the alphabet of RFC 4648, with which pnpm up to version 9 named long slots and patches.
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
