# frozen_string_literal: true

module Spate
  class Settings
    # Converts a raw value (from a file, the environment or an option) to the setting's type.
    module Value
      BOOLEANS = %w[
        auto_install cache_all cache_all_platforms clean deployment disable_checksum_validation disable_exec_load
        disable_local_branch_check disable_local_revision_check disable_shared_gems disable_version_check
        force_ruby_platform frozen gem.changelog gem.coc gem.mit gem.bundle git.allow_insecure global_gem_cache
        ignore_messages init_gems_rb inline lockfile_checksums no_install no_prune path.system plugins prefer_patch
        silence_deprecations silence_root_warning update_requires_all_flag verbose allow_offline_install
        specific_platform prefer_local no_build_extension no_install_plugin
        keep_outdated_cache
      ].to_h { |name| [name, true] }.freeze
      NUMBERS = %w[jobs redirect retry ssl_verify_mode timeout api_request_size].to_h { |name| [name, true] }.freeze
      LISTS = %w[only with without].to_h { |name| [name, true] }.freeze
      FALSE = /\A(false|f|no|n|0|)\z/i

      def self.convert(raw, name)
        name = name.name if name.is_a?(Symbol)
        name = name.to_s
        return list(raw, name) if LISTS[name]
        return nil if raw.nil? || raw.is_a?(Hash)
        return true?(raw) if raw == "false" || BOOLEANS[name] || BOOLEANS[name[/\A[^.]*/]]
        return raw.to_i if NUMBERS[name]

        raw.is_a?(Array) ? raw.join(":") : raw.to_s
      end

      # Converts the value of a setting that must be a number. Raises InvalidValue.
      def self.integer(value, name)
        number = Integer(value, exception: false)
        return number if number && !number.negative?

        raise InvalidValue.new(name, value, "a whole number")
      end

      def self.true?(raw)
        raw.is_a?(String) ? !raw.match?(FALSE) : !!raw
      end

      # Converts a list: "a:b" and "a b" are the groups a and b. Raises NoList for a YAML list, with which Bundler fails
      # too.
      def self.list(raw, name)
        return [] if raw.nil? || raw.is_a?(Hash)
        raise NoList.new(name, raw) if raw.is_a?(Array)

        raw.to_s.tr(" ", ":").split(":").map(&:to_sym)
      end
    end

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

      # The name that `bundle config` prints for a key, always in lower case.
      def self.display_name(key)
        key.delete_prefix("BUNDLE_").gsub("___", "-").gsub("__", ".").downcase
      end

      # Adds a trailing slash to the URI in a name, or to a mirror's URI.
      def self.with_slash(name)
        match = URI_KEY.match(name) or return name
        uri = match[2]
        uri = "#{uri}/" unless uri.end_with?("/")
        "#{match[1]}#{uri}#{match[3]}"
      end
    end
  end
end
