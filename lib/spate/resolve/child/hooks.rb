# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # Connects Bundler to Spate's index.
      module Hooks
        module_function

        def install
          require_relative "specification"
          require_relative "lazy_index"
          Bundler::Fetcher::CompactIndex.prepend(Fetching)
          Bundler::Source::Rubygems.prepend(Source)
          require "bundler/lockfile_generator"
          Bundler::LockfileGenerator.prepend(Checksums)
        end

        # Registry::Client of this process.
        def client
          @client ||= begin
            settings = Settings.load(root: Bundler.root.to_s, env: ENV)
            Registry::Client.new(settings: settings, env: ENV, sources: [])
          end
        end

        def pages(remote)
          @pages ||= {}
          address = (remote.original_uri || remote.uri).to_s
          @pages[address] ||= client.pages(address)
        end
      end

      module Fetching
        def available? = Hooks.pages(remote).available?
      end

      module Source
        def remote_specs
          @remote_specs ||= lazy_specs || super
        end

        private

        def lazy_specs
          return unless remotes.one?
          fetcher = fetchers.first
          first = fetcher.send(:fetchers).first
          return unless first.is_a?(Bundler::Fetcher::CompactIndex) && dependency_names

          index = LazyIndex.new(Hooks.pages(first.remote), Specification::Origin.new(fetcher, self), dependency_names)
          index.prefetch(dependency_names)
          index
        end
      end

      module Checksums
        def add_checksums
          definition.resolve.each do |spec|
            next unless spec.source.is_a?(Bundler::Source::Rubygems)
            index = spec.source.instance_variable_get(:@remote_specs)
            next unless index.is_a?(LazyIndex) && index.read?(spec.name)
            found = index.search(spec.name).find { |one| one.full_name == spec.full_name }
            spec.source.checksum_store.replace(found, found.checksum) if found
          end
          super
        end
      end
    end
  end
end
