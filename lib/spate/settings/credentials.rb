# frozen_string_literal: true

module Spate
  class Settings
    # User and password for a source: by its whole address, or else by its host.
    class Credentials
      HOST = %r{\A[a-z][a-z0-9+.-]*://(?:[^/?#@]*@)?(\[[^\]]+\]|[^:/?#]+)}i

      def initialize(settings)
        @settings = settings
      end

      def for(uri)
        value = (@settings[uri] if uri.start_with?("http")) || by_host(uri)
        value.is_a?(String) && !value.empty? ? value : nil
      end

      private

      def by_host(uri)
        host = uri[HOST, 1]
        @settings[host.downcase] if host
      end
    end
  end
end
