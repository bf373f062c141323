# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Supply
        # Brings packages that the store lacks into it: some threads fetch, one for each processor unpacks. What has
        # come is told through one queue, so that a single thread decides.
        class Acquisition
          # The block answers for an item whether its files are to be made as a tree at once.
          def initialize(context, packages, &tree)
            @context = context
            @store = context.store
            @packages = packages
            @tree = tree
            @to_fetch = Thread::Queue.new
            @to_unpack = Thread::Queue.new
            @results = Thread::Queue.new
            @threads = []
            @archives = {}
            @mutex = Mutex.new
          end

          def add(items)
            return if items.empty?

            refuse_network(items)
            items.each { |item| @to_fetch << item }
            start(items.size) if @threads.empty?
          end

          # Waits for one that is done: [item, error or nil].
          def next = @results.pop
          # The same of one that is done already; nil where there is none.
          def next? = @results.empty? ? nil : @results.pop

          # Ends the threads and removes what they left.
          def stop
            [@to_fetch, @to_unpack].each(&:close)
            @context.close_client unless @threads.empty?
            @threads.each(&:kill).each(&:join)
            @archives.each_key { |path| Ground::Files.remove(path) }
          end

          private

          def refuse_network(items)
            absent = items.reject { |item| item.package.file? } if @context.options.local
            raise NotLocalError, absent.map(&:full_name) if absent&.any?
          end

          def start(count)
            @threads.concat(Array.new(@context.fetchers(count)) { thread { fetch_all } })
            @threads.concat(Array.new([@context.unpackers, count].min) { thread { unpack_all } })
          end

          def thread(&block)
            Thread.new do
              Thread.current.report_on_exception = false
              block.call
            end
          end

          def fetch_all
            while (item = @to_fetch.pop)
              attempt(item) { @to_unpack << [item, fetch(item)] }
            end
          end

          def unpack_all
            while (item, path = @to_unpack.pop)
              attempt(item) do
                unpack(item, path)
                @results << [item, nil]
              end
            end
          end

          def fetch(item)
            path = @store.temporary("archive")
            @mutex.synchronize { @archives[path] = true }
            @context.events.emit(:js_fetch_start, name: item.full_name)
            item.bytes = @context.client.fetch(item.package, to: path).bytes
            @context.events.emit(:js_fetch_done, name: item.full_name, bytes: item.bytes)
            path
          end

          def unpack(item, path)
            @packages.unpack(item, path, tree: (@store.temporary("tree") if @tree.call(item)))
          ensure
            Ground::Files.remove(path)
            @mutex.synchronize { @archives.delete(path) }
          end

          def attempt(item)
            yield
          rescue ClosedQueueError
            nil
          rescue StandardError, ScriptError, NoMemoryError, SystemStackError => e # else nobody would hear of it
            item.discard_tree
            @results << [item, e]
          end
        end
      end
    end
  end
end
