# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # Brings the packages that the store lacks into it: connections fetch, one thread for each processor unpacks. An
      # archive that is at hand needs no connection. Results come out of one queue, so that a single thread decides what
      # happens next.
      class Acquisition
        # results: Thread::Queue that receives [:acquired, item] or [:failed, item, error].
        def initialize(context, results, unpack_step:)
          @context = context
          @results = results
          @unpack_step = unpack_step
          @to_fetch = Thread::Queue.new
          @to_unpack = UnpackQueue.new
          @threads = []
          @connections = 0
          @archives = Archives.new(context)
        end

        # Adds work; threads start with the first of it that needs them. Large archives first would need their sizes,
        # which a lockfile does not tell: the plan's order is kept.
        def add(items)
          return if items.empty?

          start if @threads.empty?
          absent = items.reject { |item| at_hand?(item) }
          connect(absent.size)
          absent.each { |item| @to_fetch << item }
        end

        # Ends the threads; what they hold is cleaned up by their own ensure.
        def stop
          @context.sources.close
          @to_fetch.close
          @to_unpack.close
          @threads.each(&:kill)
          @threads.each(&:join)
          @archives.clean
        end

        private

        def start
          @threads << thread { warm_up }
          @threads.concat(Array.new(@context.jobs || @context.processors) { thread { unpack_all } })
        end

        # As many connections as there may be, once, when the first archives must be fetched.
        def connect(count)
          wanted = [Sources::CONNECTIONS, count].min - @connections
          return unless wanted.positive?

          @connections += wanted
          @threads.concat(Array.new(wanted) { thread { fetch_all } })
        end

        # Passes on an archive that is at hand. An error is reported as if a connection had met it.
        def at_hand?(item)
          attempt(item) do
            archive = @archives.at_hand(item) or return false
            @to_unpack.push(item, archive)
          end
          true
        end

        def thread(&block)
          Thread.new do
            Thread.current.report_on_exception = false
            block.call
          end
        end

        # An error here comes again where RubyGems is needed, and is reported there.
        def warm_up
          @unpack_step.warm_up
        rescue SystemCallError, Error
          nil
        end

        def fetch_all
          while (item = @to_fetch.pop)
            attempt(item) { @to_unpack.push(item, @archives.obtain(item)) }
          end
        end

        def unpack_all
          while (item, archive = @to_unpack.pop)
            attempt(item) do
              unpack(item, archive)
              @results << [:acquired, item]
            end
          end
        end

        # A damaged archive in the store is dropped and fetched again, once.
        def unpack(item, archive)
          @unpack_step.call(item, archive)
        rescue ArchiveError
          raise unless archive.origin == :store

          File.unlink(archive.path)
          @unpack_step.call(item, @archives.obtain(item))
        end

        def attempt(item)
          Garbage.look
          yield
        rescue ClosedQueueError
          nil
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError => e # else nobody would hear of it
          @results << [:failed, item, e]
        end
      end
    end
  end
end
