# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Supply
        # Fetches packages that the store lacks: the packages' part of a Backlog. Results are passed through one queue,
        # so that a single thread decides.
        class Acquisition
          # The block returns for an item whether to make its files as a tree at once.
          def initialize(context, packages, &tree)
            @context = context
            @store = context.store
            @packages = packages
            @tree = tree
            @results = Thread::Queue.new
            @archives = {}
            @mutex = Mutex.new
          end

          def add(items)
            return if items.empty?

            refuse_network(items)
            @begun = true
            @context.backlog.add(self, items)
          end

          # Waits for one that is done: [item, error or nil].
          def next = @results.pop
          # The next one that is done already, or nil.
          def next? = @results.empty? ? nil : @results.pop

          # Afterwards nothing runs, and no file is left.
          def stop
            return unless @begun

            @context.backlog.leave(self)
            @archives.each_key { |path| Util::Files.remove(path) if File.exist?(path) }
          end

          # The following methods are called by the Backlog.
          def rank = 1
          # A patched package whose own is in the store needs no archive.
          def at_hand(item) = @packages.base?(item) ? :stored : nil
          def lane(_item, _archive) = 3
          def close = @context.close_client

          def obtain(item)
            path = @store.temporary("archive")
            @mutex.synchronize { @archives[path] = true }
            @context.events.emit(:js_fetch_start, name: item.full_name)
            item.bytes = @context.client.fetch(item.package, to: path).bytes
            @context.events.emit(:js_fetch_done, name: item.full_name, bytes: item.bytes)
            path
          end

          def unpack(item, path)
            @packages.take(item, path, tree: (@store.temporary("tree") if @tree.call(item)))
            @results << [item, nil]
          ensure
            Util::Files.remove(path) if path.is_a?(String)
            @mutex.synchronize { @archives.delete(path) }
          end

          def failed(item, error)
            item.discard_tree
            error = Store::Error.for(error, @store.root) if error.is_a?(SystemCallError)
            @results << [item, error]
          end

          private

          def refuse_network(items)
            absent = items.reject { |item| item.package.file? || @packages.base?(item) } if @context.options.local
            raise NotLocalError, absent.map(&:full_name) if absent&.any?
          end
        end
      end
    end
  end
end
