# frozen_string_literal: true

module Spate
  module Build
    module Cache
      # A finished build in a store.
      #
      # store:: the Store that has it
      # key:: its name there: "<build key>-<id>"
      # manifest:: Native::Manifest of what it made, paths relative to the bundle's folder
      Entry = Struct.new(:store, :key, :manifest) do
        # All builds of a store, including those usable by a single bundle only.
        def self.every(store) = Dir.glob("*", base: store.path("builds")).sort.filter_map { |key| find(store, key) }

        # nil if it is missing or incomplete.
        def self.find(store, key) = store.own_build(key)&.then { |manifest| new(store, key, manifest) }

        def path = store.build_path(key)
        def record = @record ||= Record.parse(manifest.facts)
        def confirm = store.confirm(manifest, path)

        # The identity of the build for builds that see it, independent of its signer: "<build key>-<id>".
        def identity = key[/\A\h+-\h+/]

        # Paths of the records of its inputs, and of what it needs to run.
        def inputs = store.path(Variants::FOLDER, *key.split("-", 2))
        def needs = "#{inputs}#{Variants::NEEDS}"

        # The same entry, verified by content and trusted again; nil if it cannot be repaired.
        def renew = store.renew([path])[path]&.then { |good| self.class.new(store, key, good) }

        # Updates its time of use, once a day: unused builds are removed first. late: whether other builds were checked
        # first; then always, so that it is the first of the next lookup.
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
