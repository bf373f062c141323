# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # The build keys of one bundle's builds. A key is computed from the gem, its dependencies, and the other builds of
      # the bundle that its build sees.
      class Keys
        # dependencies: Dependencies. record: Store::BundleRecord of the previous install, or nil.
        def initialize(context, builder, dependencies, record)
          @store = context.store
          @builder = builder
          @dependencies = dependencies
          @seen = DependencyBuilds.new(context, record)
          @standalone = {}.compare_by_identity
        end

        # Whether everything that the key covers is known, including the builds that will be visible to it (except in
        # cycles).
        def decidable?(item)
          needed = @dependencies.of(item)
          return false unless needed.all? { |other| other.sha256 || other.state == :in_place }

          (known?(needed) && before(item).all? { |other| decided?(other) }) || standalone?(item)
        end

        # The key of a native item's build.
        def of(item)
          own = @builder.key(item.package, archives(@dependencies.of(item)), archive_sha256: item.sha256)
          seen = known?(@dependencies.of(item)) ? @seen.of(before(item)) : []
          Build::Key.seeing(own, seen.empty? || standalone?(item) ? [] : seen)
        end

        # Signers of the builds that are visible to a native item's build: see DependencyBuilds.
        def signers(item) = known?(@dependencies.of(item)) ? @seen.signers(before(item)) : []

        # The key for a gem that is not an item.
        def of_other(package, needed) = Build::Key.seeing(@builder.key(package, archives(needed)), @seen.of(needed))

        def signers_of_other(needed) = @seen.signers(needed)

        # Whether the build of a gem loads none of its dependencies.
        def standalone?(item)
          @standalone.fetch(item) do
            files = Build::Schedule::PackageFiles.new(@store, item.manifest)
            names = @dependencies.of(item).map(&:name)
            @standalone[item] = Build::Schedule::Standalone.new(files, item.facts.extensions, names).standalone?
          end
        end

        private

        # Items that are built before this one. Gems in a dependency cycle do not wait for each other.
        def before(item) = @dependencies.of(item).reject { |other| @dependencies.of(other).include?(item) }

        def decided?(item) = %i[in_place committed].include?(item.state) || !item.native? || item.build

        # Whether it is known which items have extensions: it is once an item has a manifest or is installed.
        def known?(items) = items.all? { |item| item.state == :in_place || item.manifest }
        def archives(items) = items.map { |item| item.sha256 || item.full_name }.sort
      end
    end
  end
end
