# frozen_string_literal: true

module Spate
  module JS
    # Reads the files that decide what a node_modules is to be, and keeps a digest of each: who remembers what came of
    # them knows from what.
    class Reading
      # Bytes. The largest public lockfiles have 3 MB; what is read becomes some fifteen times as large.
      LARGEST = 64 << 20
      LISTENING = :spate_js_reading
      private_constant :LISTENING

      class << self
        # [what the block answers, Reading of all that it reads by .bytes and .text]
        def of
          around = Thread.current[LISTENING]
          reading = Thread.current[LISTENING] = new
          [yield, reading]
        ensure
          Thread.current[LISTENING] = around
        end

        # The content of a file. Raises SystemCallError, LockfileError.
        def bytes(path)
          size = File.size(path)
          raise LockfileError, "#{path}: expected at most #{LARGEST >> 20} MB, found #{size >> 20}" if size > LARGEST

          File.binread(path).tap { |bytes| Thread.current[LISTENING]&.note(path, bytes) }
        end

        # The same as UTF-8.
        def text(path) = bytes(path).force_encoding(Encoding::UTF_8)
      end

      # { path => SHA-256 (hex) of what was read first }
      attr_reader :digests

      def initialize
        @digests = {}
      end

      def note(path, bytes) = @digests[File.expand_path(path)] ||= Store.sha256(bytes)
    end
  end
end
