# frozen_string_literal: true

module Spate
  module Build
    module Cache
      # A finished build in a store.
      #
      # store:: the Store that contains the build
      # key:: its name in the store: "<build key>-<id>"
      # manifest:: Native::Manifest of the build's files, with paths relative to the bundle's folder
      Entry = Struct.new(:store, :key, :manifest) do
        # All builds of a store, including those that only a single bundle can use.
        def self.every(store) = Dir.glob("*", base: store.path("builds")).sort.filter_map { |key| find(store, key) }

        # nil if the build is missing or incomplete.
        def self.find(store, key) = store.own_build(key)&.then { |manifest| new(store, key, manifest) }

        def path = store.build_path(key)
        def record = @record ||= Record.parse(manifest.facts)
        def confirm = store.confirm(manifest, path)

        # The identity of the build for builds that read it, independent of its signer: "<build key>-<id>".
        def identity = key[/\A\h+-\h+/]

        # Paths of the records of its inputs and of its runtime requirements.
        def inputs = store.path(Variants::FOLDER, *key.split("-", 2))
        def needs = "#{inputs}#{Variants::NEEDS}"

        # The same entry, verified by content and trusted again; nil if it cannot be repaired.
        def renew = store.renew([path])[path]&.then { |good| self.class.new(store, key, good) }

        # Updates the time of use, at most once a day: unused builds are removed first. late: whether other builds were
        # checked before this one; then always updates, so that the next lookup checks this one first.
        def use(late: false)
          now = Time.now
          File.utime(now, now, inputs) if store.writable? && (late || now - File.mtime(inputs) > Variants::DAY)
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
