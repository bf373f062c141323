# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # Which builds of the gems it depends on a build sees in the bundle, as words that tell them from any other build
      # of those gems.
      class DependencyBuilds
        # record: Store::BundleRecord of the install before, or nil.
        def initialize(context, record)
          @context = context
          @layout = context.layout
          @record = record
          @in_place = {}
        end

        # items: that the build's gem depends on, decided or in place. Answers [String].
        def of(items)
          items.filter_map do |item|
            next "#{item.full_name} #{item.build.key}" if item.build

            @in_place[item.full_name] ||= in_place(item.full_name) if item.state == :in_place || item.native?
          end
        end

        private

        # A build that Spate recorded, and that is unchanged, has a key. Any other is known by its inode alone, so no
        # build that sees it serves another bundle.
        def in_place(full_name)
          complete = "#{@layout.extensions}/#{full_name}/gem.build_complete"
          return unless File.exist?(complete)

          key = builds[full_name] and return "#{full_name} #{key}"
          "#{full_name} #{@layout.root} #{File.stat(complete).dev} #{Ground.stamp(complete)}"
        end

        # {full name => key} of what lies in the bundle as it was recorded.
        def builds
          @builds ||= (@record&.builds || []).filter_map do |key|
            manifest = @context.store.build(key)
            [Build::Cache::Record.parse(manifest.facts).full_name, key] if manifest && whole?(manifest)
          end.to_h
        end

        def whole?(manifest) = Native.check_trees([[@layout.root, [manifest]]], 1, @context.store.owner).empty?
      end
    end
  end
end
