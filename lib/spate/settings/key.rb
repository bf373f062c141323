# frozen_string_literal: true

module Spate
  class Settings
    # Converts between a setting's name (`build.mini_magick`, `gems.my-host.test`) and its key in config files and in
    # the environment (`BUNDLE_BUILD__MINI_MAGICK`, `BUNDLE_GEMS__MY___HOST__TEST`).
    module Key
      # (prefix.)URI(.fallback_timeout)
      URI_KEY = /\A(\w+\.)?(https?.*?)(\.fallback_timeout)?\z/i

      # name: String, Symbol, or a URI.
      def self.for(name)
        (@known ||= {})[name] ||= begin
          name = name.to_s
          name = with_slash(name) if name.start_with?("http", "mirror.http")
          "BUNDLE_#{name.gsub(".", "__").gsub("-", "___").upcase}".freeze
        end
      end

      # The name that Bundler lists for a key: always in lower case.
      def self.exposed(key)
        key.delete_prefix("BUNDLE_").gsub("___", "-").gsub("__", ".").downcase
      end

      # URIs in names and mirrors end with a slash.
      def self.with_slash(name)
        match = URI_KEY.match(name) or return name
        uri = match[2]
        uri = "#{uri}/" unless uri.end_with?("/")
        "#{match[1]}#{uri}#{match[3]}"
      end
    end
  end
end
