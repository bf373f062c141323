# frozen_string_literal: true

require "openssl"

module Spate
  module Server
    class Cache
      class Bucket
        # One blob out of the bucket into the folder, where it appears whole and as it is named, or not at all. On a
        # thread of the bucket's.
        class Download
          # Bytes where the folder has no limit; and from which on those who wait are sent what there is already.
          MOST = 1 << 62
          LARGE = 1 << 20

          # limit: bytes of it, or nil.
          def initialize(bucket, folder, name, limit)
            @bucket = bucket
            @folder = folder
            @name = name
            @limit = limit || MOST
            @digest = OpenSSL::Digest.new("SHA256")
            @size = 0
          end

          # Its bytes, nil where there is nothing. Yields the Growth of a large one. Damaged, Unavailable,
          # SystemCallError.
          def run(&begun)
            @file = @folder.begin_file
            @file.sync = true
            return unless @bucket.pieces(@name, @limit) { |bytes, length| take(bytes, length, &begun) }

            check
            keep
          ensure
            drop if @file
          end

          private

          def take(bytes, length)
            @digest << bytes
            @size += @file.write(bytes)
            yield @growth = Growth.new(@file.path, length) if @growth.nil? && length.to_i >= LARGE
            @growth&.came(@size)
          end

          def check
            return if @digest.hexdigest == @name.key

            raise Damaged, "the bucket has bytes with the SHA-256 #{@digest}"
          end

          def keep
            @folder.keep(@file, @name)
            @file = nil
            @growth&.over
            @size
          end

          # From any state. Whoever is being sent it finds its end one byte early at least.
          def drop
            File.truncate(@file.path, [@size, @growth.length - 1].min) if @growth
            @folder.drop(@file)
          ensure
            @growth&.over
          end
        end
      end
    end
  end
end
