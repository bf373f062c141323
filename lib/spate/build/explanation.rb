# frozen_string_literal: true

module Spate
  module Build
    # Lists the stored builds of a gem with their inputs, and whether the inputs are unchanged in this bundle.
    class Explanation
      # root: the bundle's folder. env: {name => value}.
      def initialize(store, root, env)
        @store = store
        @reuse_check = Trace::ReuseCheck.new(root, Environment.new(env))
      end

      # Builds of GEM or GEM-VERSION, ordered by last use: [{gem:, build:, store:, seconds:, root:, change:, inputs:,
      # programs:}]; with all: true also {all:}. change: a sentence, or nil if unchanged; inputs: {kind => count};
      # programs: [[name, path or ""]]; all: [[kind, path]], where "home" and "bundle" replace the paths of these
      # folders.
      def of(name, all: false)
        wanted = Cache::Invalidations.of(@store).matching(name)
        kept.select { |stored| wanted.include?(stored.record.full_name) }.map { |stored| describe(stored, all) }
      end

      # Names of gems with stored builds.
      def names = kept.map { |stored| stored.record.full_name[/\A(.+?)-\d/, 1].to_s }.uniq

      private

      def kept = @kept ||= @store.all_stores.flat_map { |store| Cache::Variants.every(store) }

      def describe(stored, all)
        record = stored.record
        change = @reuse_check.change(stored)
        inputs = read(stored)
        facts = { gem: record.full_name, build: stored.key, store: stored.store.root, seconds: record.seconds,
                  root: record.root, change: change && Trace::ReuseCheck.explain(*change),
                  inputs: inputs.map(&:first).tally, programs: record.programs }
        all ? facts.merge(all: inputs) : facts
      end

      def read(stored)
        Inputs.each(stored.inputs).map { |kind, root, path, _| [kind, [root && place(root), path].compact.join("/")] }
      rescue ArgumentError, SystemCallError
        [] # damaged; `change` reports that
      end

      # "bundle/../.." for the folder two levels above the bundle.
      def place(root) = root.sub(/\Aabove-(\d+)\z/) { "bundle#{"/.." * Integer($1, 10)}" }
    end
  end
end
