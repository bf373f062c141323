# frozen_string_literal: true

module Spate
  module Build
    # A finished build in a store.
    #
    # store:: the Store that has it
    # key:: its name there (see Key.names)
    # manifest:: Native::Manifest of what it made, paths relative to the bundle's folder
    Stored = Struct.new(:store, :key, :manifest) do
      def path = store.build_path(key)
      def record = Record.parse(manifest.facts)
      def confirm = store.confirm(manifest, path)

      # The same, verified by content and trusted again; nil where it is damaged beyond repair.
      def renew = store.renew([path])[path]&.then { |good| self.class.new(store, key, good) }
    end
  end
end
