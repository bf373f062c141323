# frozen_string_literal: true

module Spate
  module Build
    # A build that succeeded.
    #
    # key:: hex
    # seconds:: how long it took
    # manifest:: Native::Manifest of what it made, paths relative to the bundle's folder; nil where the store could not
    #            keep it
    # log:: path of gem_make.out
    # cached:: true where another process had built it meanwhile
    Result = Struct.new(:key, :seconds, :manifest, :log, :cached, keyword_init: true) do
      def ok? = true
      alias_method :cached?, :cached
    end
  end
end
