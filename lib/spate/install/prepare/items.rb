# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Determines for each package of a plan whether it is already in the bundle or in the store. This is the hot path
      # of every install. Writes nothing.
      class Items
        # {full name => Item} of all packages passed to #of so far.
        attr_reader :known

        def initialize(context)
          @context = context
          @store = context.store
          @known = {}
        end

        # [Item] of these packages, each with its state: :in_place, :stored or :needed. record: Store::BundleRecord of
        # the previous install, or nil.
        def of(packages, record)
          @record = record
          prepare(packages.reject { |package| prepared?(package) }).each { |item| known[item.full_name] = item }
          packages.map { |package| known.fetch(package.full_name) }
        end

        private

        # Whether an existing Item can be used. Results from a source that were obtained without the Gemfile's
        # credentials are discarded when these are known.
        def prepared?(package)
          known.key?(package.full_name) &&
            (package.sha256 || package.source.remotes.none? { |remote| @context.sources.remotes.spelled?(remote) })
        end

        def prepare(packages)
          @inventory ||= Inventory.new(@context.layout)
          @distrusted = Distrusted.new(@context)
          items = packages.map { |package| item(package, @record&.tree("gems/#{package.full_name}")) }
          refresh(items) if @context.options.refresh
          name(items.select { |item| item.state.nil? && item.sha256.nil? })
          items.each { |item| item.manifest = manifest(item.sha256) if item.state.nil? && item.sha256 }
          recall(items.select(&:manifest))
          items.each { |item| item.state ||= item.stored? ? :stored : :needed }
        end

        def item(package, tree)
          item = Item.new(package)
          item.sha256 = package.sha256
          item.replaces = @inventory.installed?(item.full_name)
          return item if @context.options.restore?(package) || !item.replaces

          anew = @context.options.rebuild?(package) || @distrusted.include?(package)
          anew && !kept?(item, "rebuilt") ? item : in_place(item, tree)
        end

        # Prints a warning if the user has changed the gem, and returns whether it must not be replaced.
        def kept?(item, wanted)
          record = Store::BundleRecord.find(@context.store, @context.layout.root, { item.full_name => item.sha256 },
                                            @record)
          own = LocalChanges.new(@context, record).of(item.full_name)
          return false if own.empty?

          named = own == ["."] ? "it is being edited" : "locally changed: #{own.first}"
          named += " and #{own.size - 1} more" if own.size > 1
          @context.events.emit(:warning, message: "#{item.full_name} is not #{wanted}: #{named}",
                                         hint: "to restore the package's files: spate restore #{item.name}")
          true
        end

        # Reinstalls an installed gem without local changes if its source now has a different archive under the same
        # name.
        def refresh(items)
          known = items.select { |item| item.state == :in_place && item.sha256 && item.package.sha256.nil? }
          answers = ChecksumLookup.new(@context).ask(known.to_h { |item| [item.package, item.sha256] })
          known.each do |item|
            sha256 = answers[item.package]
            next if sha256.nil? || sha256 == item.sha256 || kept?(item, "replaced by its source's current archive")

            item.sha256, item.state = sha256, nil
          end
        end

        # Determines the SHA-256 of each item. An archive in vendor/cache takes precedence. With --local, uses an
        # installed default gem if no checksum is known.
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

        # Computes the key only if the archive exists, since determining the version of RubyGems may take time.
        def manifest(sha256)
          @store.package(@context.package_key(sha256)) if File.exist?(@store.archive_path(sha256))
        end

        # tree: from the bundle's record; nil if Bundler or `gem` installed the gem.
        def in_place(item, tree)
          item.sha256 = Store::PackageKey.sha256(tree.packages.first) if tree&.packages&.any?
          item.state = :in_place
          item.origin = :bundle
          item
        end

        # Checks the archives and loads the generated files of packages that have a manifest. Without an undamaged
        # archive, the manifest is not used.
        def recall(items)
          return if items.empty?

          archives = items.select(&:facts_match?).to_h { |item| [@store.archive_path(item.sha256), item.sha256] }
          intact = Fetch::ArchiveCheck.intact(archives)
          items.each do |item|
            next item.manifest = nil unless item.facts_match? && intact[@store.archive_path(item.sha256)]

            item.generated = Specification::GeneratedFiles.recall(@store, @context.rubygems_key, item.texts)
            item.origin = :store
          end
        end
      end
    end
  end
end
