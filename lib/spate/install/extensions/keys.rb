# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # Computes the build keys of one bundle. A key depends on the gem, its dependencies, and the builds of these
      # dependencies in the bundle.
      class Keys
        # dependencies: Dependencies. record: Store::BundleRecord of the previous install, or nil.
        def initialize(context, builder, dependencies, record)
          @store = context.store
          @builder = builder
          @dependencies = dependencies
          @seen = DependencyBuilds.new(context, record)
          @standalone = {}.compare_by_identity
        end

        # Whether the key of an item can be computed: its dependencies and their builds are known (except in cycles), or
        # it is standalone.
        def decidable?(item)
          needed = @dependencies.of(item)
          return false unless needed.all? { |other| other.sha256 || other.state == :in_place }

          (known?(needed) && before(item).all? { |other| decided?(other) }) || standalone?(item)
        end

        # The build key of an item with extensions.
        def of(item)
          own = @builder.key(item.package, archives(@dependencies.of(item)), archive_sha256: item.sha256)
          seen = known?(@dependencies.of(item)) ? @seen.of(before(item)) : []
          Build::Key.combine(own, seen.empty? || standalone?(item) ? [] : seen)
        end

        # The signers of the dependencies' builds: see DependencyBuilds.
        def signers(item) = known?(@dependencies.of(item)) ? @seen.signers(before(item)) : []

        # The build key of a gem that is not an item.
        def of_other(package, needed) = Build::Key.combine(@builder.key(package, archives(needed)), @seen.of(needed))

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

        # The dependencies that are built before this item. Gems in a dependency cycle do not wait for each other.
        def before(item) = @dependencies.of(item).reject { |other| @dependencies.of(other).include?(item) }

        def decided?(item) = %i[in_place committed].include?(item.state) || !item.native? || item.build

        # Whether it is known for all items if they have extensions: they are installed or have a manifest.
        def known?(items) = items.all? { |item| item.state == :in_place || item.manifest }
        def archives(items) = items.map { |item| item.sha256 || item.full_name }.sort
      end
    end
  end
end
