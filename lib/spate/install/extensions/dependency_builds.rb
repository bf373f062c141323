# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # The builds of dependencies that a build sees in the bundle, as strings that distinguish them from other builds
      # of those gems.
      class DependencyBuilds
        # record: Store::BundleRecord of the previous install, or nil.
        def initialize(context, record)
          @context = context
          @layout = context.layout
          @record = record
        end

        # items: dependencies of the gem to build, decided or in place. Returns [String].
        def of(items)
          items.filter_map { |item| word(item) if built?(item) }
        end

        # The signers of these builds: [[key's id, Unix time]].
        def signers(items)
          items.select { |item| built?(item) }.flat_map { |item| signers_of(item) }.uniq
        end

        private

        def built?(item)
          item.build || ((item.state == :in_place || item.native?) && File.exist?(complete(item)))
        end

        def signers_of(item) = item.build ? item.build.record.signers : Signers.of(folder(item))
        def folder(item) = "#{@layout.extensions}/#{item.full_name}"
        def complete(item) = "#{folder(item)}/gem.build_complete"

        # An unchanged build recorded by Spate has a key. Other builds are identified only by their inode, so a build
        # that sees one is used in this bundle only.
        def word(item)
          known = build(item) and return "#{item.full_name} #{known.identity}"
          "#{item.full_name} #{@layout.root} #{File.stat(complete(item)).dev} #{Util.stamp(complete(item))}"
        end

        def build(item) = item.build || builds[item.full_name]

        # {full name => Build::Cache::Entry} of the bundle's builds that match their record.
        def builds
          @builds ||= (@record&.builds || []).filter_map do |key|
            build = @context.store.shelves.filter_map { |store| Build::Cache::Entry.find(store, key) }.first
            [build.record.full_name, build] if build && whole?(build.manifest)
          end.to_h
        end

        def whole?(manifest) = Native.check_trees([[@layout.root, [manifest]]], 1, @context.store.owner).empty?
      end
    end
  end
end
