# frozen_string_literal: true

module Spate
  module Build
    module Cache
      # Prevents the reuse of a gem's builds although their inputs are unchanged. Each gem has a word that is part of
      # its build keys. Invalidating the gem's builds changes the word. Bundles that use the old builds keep working;
      # `spate store prune` removes unused builds.
      class Invalidations
        KIND = "forgotten"
        # Matches the part of a full name after the gem's name and a dash.
        VERSION = /\A\d[\w.]*(?:-|\z)/

        # The invalidations of a store and of the user's store next to it.
        def self.of(store) = new(store.all_stores, home: store.writable_store)

        # stores: the stores to read from. home: the store to write to, or nil.
        def initialize(stores, home: stores.first)
          @stores = stores
          @home = home
        end

        # Returns the words that invalidated this gem's builds (see #forget), separated by spaces; "" if there are none.
        # Duplicate words are removed, because a store may be a copy of another.
        def word(full_name) = @stores.filter_map { |store| store.read(KIND, full_name) }.uniq.join(" ")

        # Invalidates the builds of a gem. Users who invalidate for the same reason should pass the same word, so that
        # the gem is rebuilt once. Raises ReadOnly, Full.
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
