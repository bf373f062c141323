# frozen_string_literal: true

require "digest"
require "json"

module Spate
  module CLI
    class Setup < Command
      # Stores what `spate setup` has written, for `spate setup --undo`: the changes to each application, and the
      # launchers of each user.
      class Record
        # The kind of the store's records.
        KIND = "setup"

        # store: Store, or nil if it is not writable.
        def initialize(store)
          @store = store
        end

        # [Change] of an application. `before` is the file's text before the first `spate setup`.
        def changes(root)
          read(key(root)).map { |path, texts| Change.new(root, path, *texts) }
        end

        def add(change)
          edit(key(change.root)) do |texts|
            first, last = texts[change.path]
            first = change.before unless last && last == change.before
            texts.merge(change.path => [first, change.after])
          end
        end

        def forget(root, changes) = edit(key(root)) { |texts| texts.except(*changes.map(&:path)) }

        # Paths of launchers.
        def launchers = read(launcher_key).keys
        def add_launchers(paths) = edit(launcher_key) { |found| found.merge(paths.to_h { |path| [path, nil] }) }
        def forget_launchers = edit(launcher_key) { {} }

        private

        def key(root) = Digest::SHA256.hexdigest(root)
        def launcher_key = "launchers-#{Process.euid}"

        def read(key) = JSON.parse(@store&.read(KIND, key) || "{}")

        # Replaces a record with the block's result for it.
        def edit(key)
          raise UsageError.new("the store is not writable, so --undo would fail", hint: "spate doctor") if @store.nil?

          @store.lock(KIND) { @store.write(KIND, key, JSON.generate(yield(read(key))), required: true) }
        end
      end
    end
  end
end
