# frozen_string_literal: true

module Spate
  module Server
    class Cache
      # The entry that a path names. The path may have any prefix: "/spate/cas/<digest>" is a blob, named by the SHA-256
      # of its bytes; "/ac/<key>" is a document under a key that its writer chose.
      class Name
        PATH = %r{/(cas|ac)/([^/]*)\z}n
        # Bazel, ccache and Spate use keys of 64 digits, Gradle keys of 32.
        FORMS = { "cas" => /\A[0-9a-f]{64}\z/, "ac" => /\A[0-9a-f]{32,128}\z/ }.freeze

        # kind: "cas" or "ac". key: "3f1c..."
        attr_reader :kind, :key

        # Returns a Name, nil for a path outside of the cache, or :malformed for an invalid name.
        def self.of(path)
          kind, key = PATH.match(path.b)&.captures
          return if kind.nil?

          possible?(kind, key) ? new(kind, key) : :malformed
        end

        # Returns "cas" or "ac" if the path names a whole folder, else nil.
        def self.folder(path) = path.b[%r{/(cas|ac)/\z}n, 1]

        # Whether the key is a valid file name for this kind.
        def self.possible?(kind, key) = FORMS.fetch(kind).match?(key)

        def initialize(kind, key)
          @kind = kind
          @key = key
        end

        def blob? = @kind == "cas"
        # The path of the entry's file, relative to the cache's folder.
        def file = "#{@kind}/#{@key}"
      end
    end
  end
end
