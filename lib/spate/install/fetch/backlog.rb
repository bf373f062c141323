# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # The queue of archives to fetch and unpack. One thread per connection fetches, and one thread per processor
      # unpacks. Local archives are only unpacked. The installs of gems and of node_modules share one backlog, to avoid
      # twice as many connections and threads. Each install is an *owner* of jobs. A job can be any object. Methods of
      # an owner:
      #
      #   rank                 0 for jobs with priority, 1 for others
      #   local(job)           its archive if it is local, else nil; called in the thread that calls #add
      #   obtain(job)          its archive; called in a thread that fetches
      #   lane(job, archive)   0 to 3: lower lanes are unpacked first
      #   unpack(job, archive) called in a thread that unpacks
      #   failed(job, error)   an error raised by any of these
      #   close                aborts the owner's requests
      class Backlog
        # Garbage collection is enabled if the number of objects, or the memory allocated by malloc, exceeds these
        # limits.
        OBJECTS = 400_000
        BYTES = 32 << 20
        private_constant :OBJECTS, :BYTES

        # Enables garbage collection when memory exceeds the limits. The command line disables GC at its start, because
        # it would take too much time in an install of a few hundred gems. Threads call this method regularly.
        def self.look_for_garbage
          GC.enable if GC.stat(:heap_live_slots) > OBJECTS || GC.stat(:malloc_increase_bytes) > BYTES
        end

        # unpacking: number of unpacking threads, nil for one per processor. connections: maximum number of connections.
        def initialize(unpacking: nil, connections: Sources::CONNECTIONS)
          @unpacking = unpacking
          @limit = connections
          @mutex = Mutex.new
          @idle = ConditionVariable.new
          @sides = {}.compare_by_identity
          @threads = []
          @connections = 0
        end

        # Adds jobs and starts the necessary threads. Fetches in the given order: starting with large archives would be
        # faster, but a lockfile does not contain their sizes.
        def add(owner, jobs)
          return if jobs.empty?

          @mutex.synchronize do
            @sides[owner] ||= Side.new(0, false)
            start if @threads.empty?
          end
          absent = jobs.reject { |job| queue_local(owner, job) }
          @mutex.synchronize { connect(absent.size) }
          absent.each { |job| @to_fetch.push([owner, job], owner.rank) }
        end

        # Adds an archive that the owner has already fetched, for unpacking.
        def add_fetched(owner, job, archive)
          @mutex.synchronize do
            @sides[owner] ||= Side.new(0, false)
            start if @threads.empty?
          end
          unpack_later(owner, job, archive)
        end

        # Stops all work of the owner. When the last owner leaves, the threads are stopped, and their ensure blocks
        # clean up.
        def remove(owner)
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

        # A priority queue. #pop returns the oldest entry of the first lane that is not empty. After closing, it still
        # returns the remaining entries.
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

          # Waits for an entry. Returns nil if the queue is closed and empty.
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

        # Queues the archive for unpacking if it is local. An error is reported like an error while fetching.
        def queue_local(owner, job)
          attempt(owner, job) do
            archive = owner.local(job) or return false
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

        # Resets the threads, so that later jobs start new ones.
        def disband
          crew = [@threads, [@to_fetch, @to_unpack], @sides.values]
          @threads = []
          @connections = 0
          crew
        end

        # Resets all counts, since a killed thread may not have decremented the count of running jobs.
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
