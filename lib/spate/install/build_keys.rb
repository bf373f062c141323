# frozen_string_literal: true

module Spate
  module Install
    # The keys of the builds of one bundle: what each gem's own files and the machine come to, and which other builds of
    # the bundle it sees.
    class BuildKeys
      # dependencies: Dependencies. record: Store::Bundle of the install before, or nil.
      def initialize(context, builder, dependencies, record)
        @store = context.store
        @builder = builder
        @dependencies = dependencies
        @seen = SeenBuilds.new(context, record, method(:own))
        @standalone = {}.compare_by_identity
      end

      # Whether all that the key covers is known.
      def decidable?(item)
        needed = @dependencies.of(item)
        needed.all? { |other| other.sha256 || other.state == :in_place } && (known?(needed) || standalone?(item))
      end

      # The key of a native item's build.
      def of(item)
        needed = @dependencies.of(item)
        seen = known?(needed) ? @seen.of(needed) : []
        Build::Key.seeing(own(item), seen.empty? || standalone?(item) ? [] : seen)
      end

      # The same, whatever builds it sees.
      def own(item)
        @builder.key(item.package, item.facts, archives(@dependencies.of(item)), archive_sha256: item.sha256)
      end

      # [key, own key] of a gem that is no item. package: answers name, full_name, sha256; names: of gems that it needs.
      def of_other(package, facts, names, gem_dir)
        needed = @dependencies.named(names)
        own = @builder.key(package, facts, archives(needed), gem_dir: gem_dir)
        [Build::Key.seeing(own, @seen.of(needed)), own]
      end

      # Whether the build of a gem loads none that it depends on.
      def standalone?(item)
        @standalone.fetch(item) do
          files = Build::Files::Package.new(@store, item.manifest)
          names = @dependencies.of(item).map(&:name)
          @standalone[item] = Build::Standalone.new(files, item.facts.extensions, names).standalone?
        end
      end

      private

      # Whether they have extensions is known of gems that are there.
      def known?(items) = items.all? { |item| item.state == :in_place || item.manifest }
      def archives(items) = items.map { |item| item.sha256 || item.full_name }.sort
    end
  end
end
