# frozen_string_literal: true

require_relative "cooldown"
require_relative "files"
require_relative "index_hooks"
require_relative "resolver"

module Spate
  module Resolve
    # Code that runs in Bundler's process.
    module Child
      # Installs Spate's hooks in the Bundler of this process. If Bundler does not have the expected methods, only the
      # hooks for writing files are installed.
      module Hooks
        # Bundler's methods that are replaced or called, by class.
        METHODS = {
          "Fetcher" => %i[fetchers specs], "Fetcher::CompactIndex" => %i[available? fetch_gem_infos remote],
          "CompactIndexClient::Parser" => %i[info], "Index" => %i[search merge! use each],
          "Source::Rubygems" => %i[remote_specs fetchers dependency_names checksum_store],
          "LockfileGenerator" => %i[add_checksums definition],
          "Resolver" => %i[filter_invalid_self_dependencies parse_dependency],
          "Resolver::Package" => %i[platform_specs platforms], "Resolver::SpecGroup" => %i[merge == specs dependencies]
        }.freeze

        module_function

        def install
          SharedHelpers.replace_files
          Bundler::Installer.singleton_class.prepend(OnlyLock)
          known = known?
          Cooldown.install if known || !Cooldown.known?
          return unless known

          require_relative "specification"
          require_relative "lazy_index"
          IndexHooks.install
          Resolver.install
        end

        # Whether this Bundler resolves with PubGrub and has all expected methods.
        def known?
          require "bundler/lockfile_generator"
          METHODS.all? do |name, methods|
            owner = name.split("::").inject(Bundler) { |within, part| within.const_get(part, false) }
            methods.all? { |method| owner.method_defined?(method) || owner.private_method_defined?(method) }
          end
        rescue NameError, LoadError
          false
        end
      end
    end
  end
end
