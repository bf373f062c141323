# frozen_string_literal: true

module Spate
  module Install
    # Finds out, for each package of a plan, how much of the work is done already: in the bundle, in the store, or
    # nothing. Reads only; the hot path of every install.
    class Preparation
      def initialize(context, inventory)
        @context = context
        @store = context.store
        @inventory = inventory
      end

      # [Item], each with its state: :in_place, :stored or :needed.
      def items(packages, record)
        items = packages.map { |package| item(package, record&.tree("gems/#{package.full_name}")) }
        recall(items.select(&:manifest))
        items.each { |item| item.state ||= item.stored? ? :stored : :needed }
      end

      private

      def item(package, tree)
        item = Item.new(package)
        item.sha256 = package.sha256 || known_sha256(package)
        return in_place(item, tree) if !@context.options.force && @inventory.installed?(item.full_name)

        return in_place(item, nil) if @context.options.local && package.default_gem? && item.sha256.nil?

        item.manifest = manifest(item.sha256) if item.sha256
        item
      end

      # Only the name of one that may be there is worth waiting for RubyGems, whose version it depends on.
      def manifest(sha256)
        @store.package(@context.package_key(sha256)) if File.exist?(@store.archive_path(sha256))
      end

      # tree: what the bundle's record says of it; nil where Bundler or `gem` installed it.
      def in_place(item, tree)
        item.sha256 = Store::PackageKey.sha256(tree.packages.first) if tree&.packages&.any?
        item.state = :in_place
        item.origin = :bundle
        item
      end

      # What else belongs to packages that have a manifest: their archives, and the derived texts. A manifest counts
      # for nothing without a whole archive.
      def recall(items)
        whole = Seal.whole(items.select(&:right?).to_h { |item| [@store.archive_path(item.sha256), item.sha256] })
        items.each do |item|
          next item.manifest = nil unless item.right? && whole[@store.archive_path(item.sha256)]

          item.derived = Derived.parse(@store.read("specs", "#{@context.derived_key}/#{item.sha256}"))
          item.origin = :store
        end
      end

      def known_sha256(package)
        package.source.remotes.reverse_each do |remote| # the last is asked first, as by Registry::Client
          sha256 = @store.name_lookup(remote, package.full_name)
          return sha256 if sha256
        end
        nil
      end
    end
  end
end
