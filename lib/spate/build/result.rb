# frozen_string_literal: true

module Spate
  module Build
    # A build that succeeded.
    #
    # key:: hex
    # seconds:: how long it took
    # stored:: Stored, nil where no store could keep it
    # log:: path of gem_make.out
    # cached:: true where another process had built it meanwhile
    Result = Struct.new(:key, :seconds, :stored, :log, :cached, keyword_init: true) do
      def ok? = true
      def manifest = stored&.manifest
      alias_method :cached?, :cached
    end
  end
end
