# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # The build keys of the builds of one bundle: from each gem, its dependencies, and the other builds of the bundle
      # that it sees.
      class Keys
        # dependencies: Dependencies. record: Store::BundleRecord of the previous install, or nil.
        def initialize(context, builder, dependencies, record)
          @store = context.store
          @builder = builder
          @dependencies = dependencies
          @seen = DependencyBuilds.new(context, record)
          @standalone = {}.compare_by_identity
        end

        # Whether everything that the key covers is known, including the builds that it will see (except in cycles).
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

        # Signers of the builds that a native item's build sees in the bundle: see DependencyBuilds.
        def signers(item) = known?(@dependencies.of(item)) ? @seen.signers(before(item)) : []

        # For a gem that is not an item.
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

        # Items that are built before it. Gems in a dependency cycle do not wait for each other.
        def before(item) = @dependencies.of(item).reject { |other| @dependencies.of(other).include?(item) }

        def decided?(item) = %i[in_place committed].include?(item.state) || !item.native? || item.build

        # Whether a gem has extensions is known once its manifest is, or if it is installed.
        def known?(items) = items.all? { |item| item.state == :in_place || item.manifest }
        def archives(items) = items.map { |item| item.sha256 || item.full_name }.sort
      end
    end
  end
end
