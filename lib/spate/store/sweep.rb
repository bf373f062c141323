# frozen_string_literal: true

module Spate
  class Store
    # Removes leftovers of killed processes under tmp/, and temporary files next to manifests: those older than a day
    # whose process has ended, and those older than a week, since another process may have got the same id.
    class Sweep
      DAY = 24 * 60 * 60
      WEEK = 7 * DAY
      # Folders in which the core writes temporary files next to their targets, and the pattern of final names.
      BESIDE = { "packages" => PackageKey::ANY, "builds" => /\A[\w-]+\z/, "archives" => /\A\h{64}\.gem\z/ }.freeze

      # Removes files or folders with their contents, as far as possible. Ignores missing paths.
      def self.remove(paths)
        [*paths].each do |path|
          Native.remove_tree(path)
        rescue Native::Error
          nil
        end
      end

      def initialize(store, now: Time.now)
        @store = store
        @now = now
      end

      # Paths to remove (Array of String).
      def stale = temporaries + strays

      # Removes stale paths and returns their number.
      def call = stale.each { |path| Sweep.remove(path) }.size

      # Removes only the stale paths under tmp/.
      def clear_temporaries = temporaries.each { |path| Sweep.remove(path) }

      private

      def temporaries
        children("tmp").select do |path|
          age = age(path)
          age > WEEK || (age > DAY && !owned?(path[/-(\d+)-\h+\z/, 1]))
        end
      end

      def strays
        BESIDE.flat_map do |folder, whole|
          children(folder).reject { |path| whole.match?(File.basename(path)) }.select { |path| age(path) > DAY }
        end
      end

      def children(folder)
        Dir.children(@store.path(folder)).sort.map { |name| @store.path(folder, name) }
      rescue Errno::ENOENT
        []
      end

      def age(path)
        @now - File.lstat(path).mtime
      rescue Errno::ENOENT
        0
      end

      # Whether the process that created the file still runs. pid: of that process, or nil.
      def owned?(pid) = !pid.nil? && Util::Child.alive?(pid.to_i)
    end
  end
end
