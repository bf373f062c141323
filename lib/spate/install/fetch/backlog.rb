# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # The queue of archives to fetch and unpack: connections fetch, one thread per processor unpacks. A local archive
      # needs no connection. The gems' half and the packages' half of an install share one backlog, to avoid twice as
      # many connections and threads. Each half is an *owner* of jobs, which may be any object:
      #
      #   rank                 0 for jobs that come first, 1 for the next
      #   at_hand(job)         its archive if it is local, else nil; called in the adding thread
      #   obtain(job)          its archive; called on a connection
      #   lane(job, archive)   0 to 3: lower lanes are unpacked first
      #   unpack(job, archive) called in an unpacking thread
      #   failed(job, error)   an error raised by any of these
      #   close                ends its requests immediately
      class Backlog
        # Limits on objects, and on bytes allocated outside of them, above which garbage collection is enabled.
        OBJECTS = 400_000
        BYTES = 32 << 20
        private_constant :OBJECTS, :BYTES

        # Enables garbage collection once there is enough garbage: in an install of a few hundred gems, collecting takes
        # more time than the memory is worth. The command line disables GC at its start; working threads call this
        # method regularly.
        def self.look_for_garbage
          GC.enable if GC.stat(:heap_live_slots) > OBJECTS || GC.stat(:malloc_increase_bytes) > BYTES
        end

        # unpacking: number of unpacking threads, nil for one per processor. connections: maximum number.
        def initialize(unpacking: nil, connections: Sources::CONNECTIONS)
          @unpacking = unpacking
          @limit = connections
          @mutex = Mutex.new
          @idle = ConditionVariable.new
          @sides = {}.compare_by_identity
          @threads = []
          @connections = 0
        end

        # Adds jobs and starts the threads that they need. Keeps the order: starting with large archives would require
        # their sizes, which a lockfile does not have.
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

        # Adds an archive that the owner itself has fetched, for unpacking.
        def hand(owner, job, archive)
          @mutex.synchronize do
            @sides[owner] ||= Side.new(0, false)
            start if @threads.empty?
          end
          unpack_later(owner, job, archive)
        end

        # Ends all work of the owner. When the last owner leaves, the threads end, and their ensure blocks clean up.
        def leave(owner)
          side = @mutex.synchronize { @sides[owner]&.tap { |found| found.left = true } }
          owner.close
          return unless side

          crew = @mutex.synchronize { disband if @sides.each_value.all?(&:left) }
          crew ? finish(*crew) : wait_for(side)
          @mutex.synchronize { @sides.delete(owner) }
        end

        private

        # The state of an owner. running: number of its active jobs. left: whether it has left.
        Side = Struct.new(:running, :left)

        # A queue with lanes: returns the oldest entry of the first lane that has any. After closing, it still returns
        # the remaining entries.
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

          # Waits for an entry. Returns nil once the queue is closed and empty.
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
          @threads = Array.new(@unpacking || Util::Processors.count) { Util.quiet_thread { unpack_all } }
        end

        # Opens connections, up to the limit, when the first archives must be fetched.
        def connect(count)
          wanted = [@limit, count].min - @connections
          return unless wanted.positive?

          @connections += wanted
          @threads.concat(Array.new(wanted) { Util.quiet_thread { fetch_all } })
        end

        # Queues a local archive for unpacking. An error is reported as if a connection had raised it.
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

        # Jobs of an owner that has left are not started.
        def attempt(owner, job)
          side = begin_for(owner) or return
          Backlog.look_for_garbage
          yield
        rescue ClosedQueueError
          nil
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError => e # otherwise the error would be lost
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

        # Jobs added later start new threads.
        def disband
          crew = [@threads, [@to_fetch, @to_unpack], @sides.values]
          @threads = []
          @connections = 0
          crew
        end

        # A killed thread may have ended before it decremented the count of its job.
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
