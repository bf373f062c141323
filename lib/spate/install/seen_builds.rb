# frozen_string_literal: true

module Spate
  module Install
    # What tells the builds in the bundle that another build sees, of gems it depends on, from any other build of them.
    class SeenBuilds
      # record: Store::Bundle of the install before, or nil. own_key: callable, a native Item => the key of its build
      # alone.
      def initialize(context, record, own_key)
        @context = context
        @layout = context.layout
        @record = record
        @own_key = own_key
        @in_place = {}
      end

      # items: that the build's gem depends on, stored or in place. Answers [String].
      def of(items)
        items.filter_map do |item|
          next @in_place[item.full_name] ||= in_place(item.full_name) if item.state == :in_place

          "#{item.full_name} #{@own_key.call(item)}" if item.native?
        end
      end

      private

      # One that Spate recorded, and that is as it was, has a key. Any other is known by its inode alone, so nothing
      # that sees it serves another bundle.
      def in_place(full_name)
        complete = "#{@layout.extensions}/#{full_name}/gem.build_complete"
        return unless File.exist?(complete)

        own = builds[full_name] and return "#{full_name} #{own}"
        stat = File.stat(complete)
        "#{full_name} #{@layout.root} #{stat.dev} #{stat.ino} #{stat.mtime.to_r}"
      end

      # {full name => own key} of what lies in the bundle as it was recorded.
      def builds
        @builds ||= stored.filter_map do |manifest|
          record = Build::Record.parse(manifest.facts)
          [record.full_name, record.own] if record.own && whole?(manifest)
        end.to_h
      end

      def stored = (@record&.builds || []).filter_map { |key| @context.store.build(key) }

      def whole?(manifest) = Native.check_trees([[@layout.root, [manifest]]], 1, @context.store.owner).empty?
    end
  end
end
