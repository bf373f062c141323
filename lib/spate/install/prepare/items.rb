# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Finds out, for each package of a plan, how much of the work is done already: in the bundle, in the store, or
      # nothing. Reads only; the hot path of every install.
      class Items
        def initialize(context, inventory)
          @context = context
          @store = context.store
          @inventory = inventory
        end

        # [Item], each with its state: :in_place, :stored or :needed.
        def items(packages, record)
          @record = record
          @distrusted = Distrusted.new(@context)
          items = packages.map { |package| item(package, record&.tree("gems/#{package.full_name}")) }
          refresh(items) if @context.options.refresh
          name(items.select { |item| item.state.nil? && item.sha256.nil? })
          items.each { |item| item.manifest = manifest(item.sha256) if item.state.nil? && item.sha256 }
          recall(items.select(&:manifest))
          items.each { |item| item.state ||= item.stored? ? :stored : :needed }
        end

        private

        def item(package, tree)
          item = Item.new(package)
          item.sha256 = package.sha256
          item.replaces = @inventory.installed?(item.full_name)
          return item if @context.options.restore?(package) || !item.replaces

          anew = @context.options.rebuild?(package) || @distrusted.include?(package)
          anew && !kept?(item, "built again") ? item : in_place(item, tree)
        end

        # Whether it stays as it is because somebody has worked in it; says so.
        def kept?(item, wanted)
          record = Store::BundleRecord.find(@context.store, @context.layout.root, { item.full_name => item.sha256 },
                                            @record)
          own = LocalChanges.new(@context, record).of(item.full_name)
          return false if own.empty?

          named = own == ["."] ? "its files are yours" : "somebody changed #{own.first}"
          named += " and #{own.size - 1} more" if own.size > 1
          @context.events.emit(:warning, message: "#{item.full_name} is not #{wanted}: #{named}",
                                         hint: "to have it as its package is: spate restore #{item.name}")
          true
        end

        # An installed gem that is not the user's own, and whose name stands for another archive by now, is not in
        # place.
        def refresh(items)
          known = items.select { |item| item.state == :in_place && item.sha256 && item.package.sha256.nil? }
          answers = ChecksumLookup.new(@context).ask(known.to_h { |item| [item.package, item.sha256] })
          known.each do |item|
            sha256 = answers[item.package]
            next if sha256.nil? || sha256 == item.sha256 || kept?(item, "replaced by what its source has now")

            item.sha256, item.state = sha256, nil
          end
        end

        # An archive of the application's own is what the name stands for here. With --local, a default gem of Ruby's
        # will do where nothing better is known.
        def name(items)
          items = items.reject { |item| item.sha256 = vendored(item) }
          return if items.empty?

          known = ChecksumLookup.new(@context).call(items.map(&:package))
          items.each do |item|
            item.sha256 = known[item.package]
            in_place(item, nil) if @context.options.local && item.package.default_gem? && item.sha256.nil?
          end
        end

        def vendored(item)
          path = @context.vendor.find(item.package)
          path && Registry::Archive.sha256(path)
        end

        # Asking for the name waits for RubyGems, whose version it depends on: only for a manifest that may be there.
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

        # What else belongs to packages that have a manifest: their archives and generated files. Without a whole
        # archive a manifest does not count.
        def recall(items)
          return if items.empty?

          whole = Fetch::ArchiveCheck.whole(items.select(&:right?).to_h do |item|
                                              [@store.archive_path(item.sha256), item.sha256]
                                            end)
          items.each do |item|
            next item.manifest = nil unless item.right? && whole[@store.archive_path(item.sha256)]

            item.generated = Specification::GeneratedFiles.recall(@store, @context.rubygems_key, item.texts)
            item.origin = :store
          end
        end
      end
    end
  end
end
