# frozen_string_literal: true

module Spate
  class Settings
    # Converts a raw value (from a file, the environment, a flag) to the setting's type.
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

      # For settings that must be numbers. Raises InvalidValue.
      def self.integer(value, name)
        number = Integer(value, exception: false)
        return number if number && !number.negative?

        raise InvalidValue.new(name, value, "a whole number")
      end

      def self.true?(raw)
        raw.is_a?(String) ? !raw.match?(FALSE) : !!raw
      end

      # "a:b" and "a b" are the groups a and b. Bundler does not run with a YAML list. Raises NoList.
      def self.list(raw, name)
        return [] if raw.nil? || raw.is_a?(Hash)
        raise NoList.new(name, raw) if raw.is_a?(Array)

        raw.to_s.tr(" ", ":").split(":").map(&:to_sym)
      end
    end
  end
end
