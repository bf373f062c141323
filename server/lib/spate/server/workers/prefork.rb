# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # Forked workers. A worker that dies is replaced.
      class Prefork
        # Workers that do not end are killed LATE seconds after the drain, or AT_ONCE seconds after a halt.
        LATE = 5
        AT_ONCE = 1
        # Longest time in seconds between two checks for workers that hang.
        CHECK = 5

        # listeners: closed when the workers are stopped. metrics: the Metrics of the parent. drain: seconds. work:
        # called in each child with its row and its socket. hook: called in the parent with the name of a hook and its
        # argument; may be nil. timeout, boot_timeout: seconds in which a worker must respond and become ready, or nil.
        def initialize(count, listeners:, metrics:, drain:, log:, hook: nil, timeout: nil, boot_timeout: nil, &work)
          @count = count
          @listeners = listeners
          @metrics = metrics
          @drain = drain
          @log = log
          @hook = hook || ->(_name, _argument) {}
          @timeout = timeout
          @boot_timeout = boot_timeout
          @work = work
          @children = []
          @due = {}
          @backoffs = Hash.new { |all, row| all[row] = Backoff.new }
        end

        def start = (1..@count).each { |row| spawn(row) }

        def ios = @children.map(&:io)

        # Seconds until `tend` must be called again, or nil without a deadline.
        def wait
          times = [*@due.values, *@deadline].map { |time| [time - Server.now, 0].max }
          [*times, *([@timeout, @boot_timeout].compact.map { |limit| [limit / 2.0, CHECK].min } unless @stopping)].min
        end

        # Updates the state of all children and replaces dead ones.
        def tend
          @children.each { |child| child.listen unless child.ready? }
          @ready ||= ready?
          dead, @children = @children.partition(&:gone?)
          dead.each { |child| bury(child) }
          @due.select { |_, time| time <= Server.now }.each_key { |row| respawn(row) } unless @stopping
          @stopping ? end_late : @children.each { |child| check(child) }
        end

        # Whether all workers are ready.
        def ready? = @children.size == @count && @children.all?(&:ready?)

        # Describes how a worker ended before all workers were ready for the first time; otherwise nil.
        attr_reader :failure

        def stop
          @stopping = true
          @deadline = Server.now + @drain + LATE
          tell(Child::STOP)
          @listeners.each(&:close)
        end

        def halt
          @stopping = true
          @deadline = Server.now + AT_ONCE
          tell(Child::HALT)
        end

        def reload = tell(Child::RELOAD)

        # Whether all workers ended after `stop` or `halt`.
        def gone? = @stopping && @children.empty?

        private

        def end_late = @deadline && Server.now >= @deadline && @children.each(&:kill)

        # Kills a worker that hangs.
        def check(child)
          limit = child.ready? ? @timeout : @boot_timeout
          return if limit.nil? || child.killed?

          silent = Server.now - [child.ready_at || child.started_at, @metrics.alive_at(child.row)].max
          return if silent <= limit

          state = child.ready? ? "has not responded" : "was not ready"
          @log.call("worker #{child.row} (process #{child.pid}) #{state} for #{silent.round} s, so it is killed")
          child.kill
        end

        def tell(letter) = @children.each { |child| child.tell(letter) }

        def spawn(row)
          @due.delete(row)
          @hook.call(:before_worker_fork, row - 1)
          @children << Child.new(row) { |channel| @work.call(row, channel) }
          @hook.call(:after_worker_fork, row - 1)
        rescue SystemCallError => e # the system has too many processes
          @log.call("fork: #{e.message}")
          @due[row] = Server.now + Backoff::LONGEST
        end

        def respawn(row)
          @metrics.add(:restarts)
          spawn(row)
        end

        def bury(child)
          @metrics.clear(child.row)
          @hook.call(:after_worker_shutdown, child)
          return if @stopping

          return @failure ||= child.end_in_words unless @ready

          pause = @backoffs[child.row].after(child.lived)
          @due[child.row] = Server.now + pause
          @log.call("worker #{child.row} (process #{child.pid}) ended with #{child.end_in_words} after " \
                    "#{child.lived.round} s; another one starts #{pause.zero? ? "now" : "in #{pause} s"}")
        end
      end

      # The delay before a dead worker is replaced: none at first, then longer each time while workers die soon after
      # their start.
      class Backoff
        # Seconds. YOUNG: the delay grows while workers die before this age. FIRST, LONGEST: the first and the longest
        # delay.
        YOUNG = 5
        FIRST = 0.1
        LONGEST = 10

        def initialize
          @deaths = 0
        end

        # Returns the delay in seconds before a dead worker is replaced. lived: the worker's age in seconds.
        def after(lived)
          @deaths = lived < YOUNG ? @deaths + 1 : 0
          @deaths < 2 ? 0 : [FIRST * (2**(@deaths - 2)), LONGEST].min
        end
      end
    end
  end
end
