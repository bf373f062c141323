# frozen_string_literal: true

module Spate
  module Build
    # Where builds are found and kept: in the machine's store; where this user cannot write that one, also in a store of
    # the user's own, which is asked first.
    class Shelf
      def initialize(store, events: Events.new)
        @store = store
        @events = events
        @mutex = Mutex.new
      end

      # [Stored] under a first key, last used first.
      def candidates(key) = stores.flat_map { |store| Candidates.new(store, key).all }

      def stores = @store.shelves

      # The Store that takes what is made; nil where there is none.
      def home = @store.keeper

      def forgotten = Forgotten.new(stores, home: home)

      # Says once why no other bundle will use what is built here.
      def announce_deaf(reason)
        return if @mutex.synchronize { @deaf.tap { @deaf = true } }

        @events.emit(:warning, message: "builds are for this bundle only: what they read cannot be heard (#{reason})",
                               hint: nil)
      end

      # Says once where builds go if not into the machine's store.
      def announce
        return if @store.writable? || @mutex.synchronize { @announced.tap { @announced = true } }

        place = home ? "kept in #{home.root}" : "not kept"
        @events.emit(:warning, message: "the store #{@store.root} cannot be written: builds are #{place}", hint: nil)
      end

      # A path for a file that a build needs for a while.
      def temporary(prefix)
        return home.temporary(prefix) if home

        require "tmpdir"
        File.join(Dir.tmpdir, "spate-#{prefix}-#{Process.pid}-#{Random.urandom(8).unpack1("H*")}")
      end
    end
  end
end
