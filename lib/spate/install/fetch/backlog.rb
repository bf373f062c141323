# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # What is to be fetched and unpacked: connections fetch, one thread for each processor unpacks. An archive that is
      # at hand needs no connection. The gems' half of an install and the packages' half share one, so that there are
      # not twice as many of either. A half is an *owner* of jobs, which may be anything:
      #
      #   rank                 0 for what comes first, 1 for the next
      #   at_hand(job)         its archive if a look or two finds it, else nil; in the thread that adds
      #   obtain(job)          its archive; on a connection
      #   lane(job, archive)   0 to 3: what is in a lower one is unpacked before it
      #   unpack(job, archive) in an unpacking thread
      #   failed(job, error)   what any of these raised
      #   close                ends its requests at once
      class Backlog
        # unpacking: how many threads unpack, nil for one each processor. connections: how many there may be.
        def initialize(unpacking: nil, connections: Sources::CONNECTIONS)
          @unpacking = unpacking
          @limit = connections
          @mutex = Mutex.new
          @idle = ConditionVariable.new
          @sides = {}.compare_by_identity
          @threads = []
          @connections = 0
        end

        # Adds work; threads start with the first of it that needs them. Large archives first would need their sizes,
        # which a lockfile does not tell: the order is kept.
        def add(owner, jobs)
          return if jobs.empty?

          @mutex.synchronize do
            @sides[owner] ||= Side.new(0, false)
            start if @threads.empty?
          end
          absent = jobs.reject { |job| at_hand?(owner, job) }
          @mutex.synchronize { connect(absent.size) }
          absent.each { |job| @to_fetch.push([owner, job], owner.rank) }
        end

        # Adds what an owner has fetched by itself: it is unpacked.
        def hand(owner, job, archive)
          @mutex.synchronize do
            @sides[owner] ||= Side.new(0, false)
            start if @threads.empty?
          end
          unpack_later(owner, job, archive)
        end

        # Nothing of the owner's runs after this. The last one who leaves ends the threads; what they hold is cleaned up
        # by their own ensure.
        def leave(owner)
          side = @mutex.synchronize { @sides[owner]&.tap { |found| found.left = true } }
          owner.close
          return unless side

          crew = @mutex.synchronize { disband if @sides.each_value.all?(&:left) }
          crew ? finish(*crew) : wait_for(side)
          @mutex.synchronize { @sides.delete(owner) }
        end

        private

        # An owner's part. running: how many of its jobs are under way. left: whether it wants no more.
        Side = Struct.new(:running, :left)

        # Entries wait in lanes: of the first that has any, the oldest is next. A closed line still hands out what it
        # holds.
        class Line
          def initialize
            @lanes = Array.new(4) { [] }
            @mutex = Mutex.new
            @changed = ConditionVariable.new
            @closed = false
          end

          # Raises ClosedQueueError.
          def push(entry, lane)
            @mutex.synchronize do
              raise ClosedQueueError, "the line is closed" if @closed

              @lanes[lane] << entry
              @changed.signal
            end
          end

          # Waits for an entry; nil once the line is closed and empty.
          def pop
            @mutex.synchronize do
              loop do
                entry = @lanes.find(&:any?)&.shift
                return entry if entry || @closed

                @changed.wait(@mutex)
              end
            end
          end

          def close
            @mutex.synchronize do
              @closed = true
              @changed.broadcast
            end
          end
        end
        private_constant :Side, :Line

        def start
          @to_fetch = Line.new
          @to_unpack = Line.new
          @threads = Array.new(@unpacking || Native.processors) { thread { unpack_all } }
        end

        # As many connections as there may be, once, when the first archives must be fetched.
        def connect(count)
          wanted = [@limit, count].min - @connections
          return unless wanted.positive?

          @connections += wanted
          @threads.concat(Array.new(wanted) { thread { fetch_all } })
        end

        # Passes on an archive that is at hand. An error is reported as if a connection had met it.
        def at_hand?(owner, job)
          attempt(owner, job) do
            archive = owner.at_hand(job) or return false
            unpack_later(owner, job, archive)
          end
          true
        end

        def unpack_later(owner, job, archive)
          @to_unpack.push([owner, job, archive], owner.lane(job, archive))
        end

        def thread(&block)
          Thread.new do
            Thread.current.report_on_exception = false
            block.call
          end
        end

        def fetch_all
          line = @to_fetch
          while (owner, job = line.pop)
            attempt(owner, job) { unpack_later(owner, job, owner.obtain(job)) }
          end
        end

        def unpack_all
          line = @to_unpack
          while (owner, job, archive = line.pop)
            attempt(owner, job) { owner.unpack(job, archive) }
          end
        end

        # What its owner left behind is not begun.
        def attempt(owner, job)
          side = begin_for(owner) or return
          Garbage.look
          yield
        rescue ClosedQueueError
          nil
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError => e # else nobody would hear of it
          owner.failed(job, e)
        ensure
          end_for(side) if side
        end

        def begin_for(owner)
          @mutex.synchronize do
            side = @sides[owner]
            side.running += 1 if side && !side.left
            side unless side.nil? || side.left
          end
        end

        def end_for(side)
          @mutex.synchronize do
            side.running -= 1
            @idle.broadcast if side.running.zero?
          end
        end

        def wait_for(side)
          @mutex.synchronize { @idle.wait(@mutex) while side.running.positive? }
        end

        # Whoever comes now begins with other threads.
        def disband
          crew = [@threads, [@to_fetch, @to_unpack], @sides.values]
          @threads = []
          @connections = 0
          crew
        end

        # A thread that is killed may not have come to count what it had begun.
        def finish(threads, lines, sides)
          lines.each(&:close)
          threads.each(&:kill).each(&:join)
          @mutex.synchronize do
            sides.each { |side| side.running = 0 }
            @idle.broadcast
          end
        end
      end
    end
  end
end
