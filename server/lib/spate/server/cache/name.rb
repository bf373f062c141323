# frozen_string_literal: true

module Spate
  module Server
    class Cache
      # What a path asks for, whatever stands before it: "/spate/cas/<digest>" is a blob, which is named by the SHA-256
      # of its bytes; "/ac/<key>" is a document under a key of its writer's.
      class Name
        PATH = %r{/(cas|ac)/([^/]*)\z}n
        # Bazel, ccache and Spate have keys of 64 digits, Gradle has them of 32.
        FORMS = { "cas" => /\A[0-9a-f]{64}\z/, "ac" => /\A[0-9a-f]{32,128}\z/ }.freeze

        # "cas" or "ac"; "3f1c..."
        attr_reader :kind, :key

        # A Name; nil where the path leads elsewhere, :malformed where it has no name that can be.
        def self.of(path)
          kind, key = PATH.match(path.b)&.captures
          return if kind.nil?

          possible?(kind, key) ? new(kind, key) : :malformed
        end

        # "cas" or "ac" where a path asks for all of them.
        def self.folder(path) = path.b[%r{/(cas|ac)/\z}n, 1]

        # Whether a file may be called so.
        def self.possible?(kind, key) = FORMS.fetch(kind).match?(key)

        def initialize(kind, key)
          @kind = kind
          @key = key
        end

        def blob? = @kind == "cas"
        # In the cache's folder.
        def file = "#{@kind}/#{@key}"
      end
    end
  end
end
