# frozen_string_literal: true

module Spate
  class Store
    # Removes files that killed processes left in tmp/, and temporary files next to manifests. A file is removed if it
    # is older than a day and its process has ended. It is also removed if it is older than a week, since another
    # process may have the same id.
    class Sweep
      DAY = 24 * 60 * 60
      WEEK = 7 * DAY
      # Folders in which the core writes temporary files next to their targets => pattern of final names.
      NAMES = { "packages" => PackageKey::ANY, "builds" => /\A[\w-]+\z/, "archives" => /\A\h{64}\.gem\z/ }.freeze

      # Removes files or folders with their contents. Ignores errors and missing paths.
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

      # The paths to remove ([String]).
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
        NAMES.flat_map do |folder, whole|
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

      # Whether the process that created the file is running. pid: its process id, or nil.
      def owned?(pid) = !pid.nil? && Util::Child.alive?(pid.to_i)
    end
  end
end
