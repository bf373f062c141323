# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # Lets Bundler use the compact indexes that Spate caches. Each module is prepended to Bundler's class with the
      # same name.
      module IndexHooks
        def self.install
          Bundler::Fetcher::CompactIndex.prepend(CompactIndex)
          Bundler::Source::Rubygems.prepend(Rubygems)
          Bundler::LockfileGenerator.prepend(LockfileGenerator)
        end

        # A gem in a lockfile.
        LOCKED = /^ {4}(\S+) \(/

        # Reads pages through Registry.
        module CompactIndex
          def available? = spate_pages.available?

          def spate_pages = @spate_pages ||= IndexHooks.pages((remote.original_uri || remote.uri).to_s)

          # Called by Bundler's own index, which reads all gems that may be needed.
          def fetch_gem_infos(names)
            texts = spate_pages.fetch(names)
            names.map { |name| IndexHooks.parser(texts).info(name) }
          end
        end

        # Replaces Bundler's index with a LazyIndex if the source has only one remote, with a compact index.
        module Rubygems
          def remote_specs = @remote_specs ||= spate_index || super

          private

          def spate_index
            return unless remotes.one? && dependency_names

            fetcher = fetchers.first
            compact = fetcher.send(:fetchers).first
            return unless compact.is_a?(Bundler::Fetcher::CompactIndex)

            origin = Specification::Origin.new(fetcher, self, compact.remote)
            LazyIndex.new(compact.spate_pages, origin, dependency_names).tap do |index|
              index.prefetch(dependency_names + IndexHooks.locked_names)
            end
          end
        end

        # Stores the checksums of the resolved gems before the lockfile is generated. Bundler's own index stores the
        # checksums of all versions that it reads.
        module LockfileGenerator
          def add_checksums
            definition.resolve.each { |spec| spate_store_checksum(spec) } if definition.locked_checksums
            super
          end

          private

          def spate_store_checksum(spec)
            return unless spec.source.is_a?(Bundler::Source::Rubygems)

            index = spec.source.instance_variable_get(:@remote_specs)
            return unless index.is_a?(LazyIndex) && index.read?(spec.name)

            found = index.search(spec.name).find { |one| one.full_name == spec.full_name }
            spec.source.checksum_store.replace(found, found.checksum) if found
          end
        end

        class << self
          # The Registry::Index::Pages of a source. address: as in the Gemfile.
          def pages(address)
            @pages ||= {}
            @pages[address] ||= Guard.new(client(address).pages(address) do |error|
              Bundler.ui.warn "warning: #{error.message}; using the index that was kept"
            end)
          end

          # Gems whose pages were kept for the sources of this bundle.
          def kept_names = @pages.to_h.each_value.flat_map(&:kept_names).uniq

          # Bundler's parser, applied to the texts of pages.
          def parser(texts)
            index = Object.new
            index.define_singleton_method(:info) { |name, *| texts[name] }
            index.define_singleton_method(:versions) { "" }
            Bundler::CompactIndexClient::Parser.new(index)
          end

          # Names in the lockfile. They are prefetched too, since the newest versions of gems may no longer depend on
          # them.
          def locked_names
            lockfile = Bundler.default_lockfile
            lockfile.file? ? lockfile.read.scan(LOCKED).flatten.uniq : []
          end

          private

          def client(address)
            settings = Settings.load(root: Bundler.root.to_s, env: ENV)
            Registry::Client.new(settings: settings, env: ENV, sources: [address])
          end
        end
      end

      # The pages of a remote. Converts errors to Bundler's error classes, so that Bundler reports them.
      class Guard
        def initialize(pages)
          @pages = pages
        end

        %i[available? fetch [] texts kept_names].each do |name|
          define_method(name) do |*arguments|
            @pages.public_send(name, *arguments)
          rescue Spate::Error => e
            raise Bundler::HTTPError, [e.message, *e.hint].join("\n")
          end
        end
      end
    end
  end
end
