# frozen_string_literal: true

module Spate
  module Build
    module Cache
      # Builds that must not be reused although their inputs are unchanged. Each gem has a word that is part of its
      # keys; invalidating its builds changes the word. Nothing is deleted, so bundles with the old builds stay
      # complete; `spate store prune` removes unused builds.
      class Invalidations
        KIND = "forgotten"
        # The part of a full name after the gem's name and a dash.
        VERSION = /\A\d[\w.]*(?:-|\z)/

        # The invalidations of a store and of the user's own store next to it.
        def self.of(store) = new(store.shelves, home: store.keeper)

        # stores: the stores to read from. home: the store to write to, or nil.
        def initialize(stores, home: stores.first)
          @stores = stores
          @home = home
        end

        # Empty for a gem whose builds were never invalidated. Equal words count once, since a store may be a copy of
        # another.
        def word(full_name) = @stores.filter_map { |store| store.read(KIND, full_name) }.uniq.join(" ")

        # word: should be the same for all users who invalidate for the same reason, so that the gem is built once.
        # Raises ReadOnly, Full.
        def forget(full_name, word = Random.urandom(16).unpack1("H*"))
          raise Store::ReadOnly.at(@stores.first.root, Errno::EACCES::Errno) unless @home

          @home.write(KIND, full_name, word, required: true)
        end

        # Full names of gems with stored builds that match `name`: GEM in all its versions, or GEM-VERSION.
        def matching(name)
          records = @records ||= @stores.flat_map { |store| Entry.every(store).map(&:record) }
          names = records.filter_map(&:full_name).uniq.sort
          names.select do |full|
            full == name || (full.start_with?("#{name}-") && VERSION.match?(full[name.size + 1..]))
          end
        end
      end
    end
  end
end
