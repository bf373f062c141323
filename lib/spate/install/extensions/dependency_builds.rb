# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # Identifies the builds of a gem's dependencies, which are visible to the gem's own build in the bundle.
      class DependencyBuilds
        # record: Store::BundleRecord of the previous install, or nil.
        def initialize(context, record)
          @context = context
          @layout = context.layout
          @record = record
        end

        # Returns a string for each dependency that has a build. It differs for every build of the same gem. items: the
        # dependencies, either installed or with a known build.
        def of(items)
          items.filter_map { |item| identity(item) if built?(item) }
        end

        # Returns the signers of the dependencies' builds: [[key's id, Unix time]].
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

        # An unchanged build that Spate recorded has an identity. Other builds are identified by this bundle and a file
        # stamp, so a build that sees one is not used in other bundles.
        def identity(item)
          known = build(item) and return "#{item.full_name} #{known.identity}"
          "#{item.full_name} #{@layout.root} #{File.stat(complete(item)).dev} #{Util.stamp(complete(item))}"
        end

        def build(item) = item.build || builds[item.full_name]

        # {full name => Build::Cache::Entry}: the recorded builds of this bundle whose files are unchanged.
        def builds
          @builds ||= (@record&.builds || []).filter_map do |key|
            build = @context.store.all_stores.filter_map { |store| Build::Cache::Entry.find(store, key) }.first
            [build.record.full_name, build] if build && intact?(build.manifest)
          end.to_h
        end

        def intact?(manifest) = Native.check_trees([[@layout.root, [manifest]]], 1, @context.store.owner).empty?
      end
    end
  end
end
