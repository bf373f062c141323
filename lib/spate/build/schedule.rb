# frozen_string_literal: true

module Spate
  module Build
    # Which build starts next: of those whose needs are in place, the one at the head of the longest chain of work.
    # Threads take builds from it, each once.
    class Schedule
      autoload :Durations, "spate/build/schedule/durations"
      autoload :PackageFiles, "spate/build/schedule/package_files"
      autoload :Standalone, "spate/build/schedule/standalone"

      Entry = Struct.new(:name, :weight, :needs, :payload)

      def initialize
        @entries = {} # name => Entry, waiting
        @placed = {} # name => true: gems in place
        @mutex = Mutex.new
        @changed = ConditionVariable.new
      end

      # weight: seconds (see Durations). needs: names of gems that must be in place before it starts.
      def add(name, weight:, needs: [], payload: name)
        change { @entries[name] = Entry.new(name, weight, needs, payload) }
      end

      # These gems, native or not, are now where builds find them.
      def placed(*names)
        change { names.each { |name| @placed[name] = true } }
      end

      # Waits for a build that can start, and answers its payload; nil after `stop`.
      def take
        @mutex.synchronize do
          loop do
            return if @stopped

            entry = ready.max_by { |candidate| urgency(candidate) }
            return @entries.delete(entry.name).payload if entry

            @changed.wait(@mutex)
          end
        end
      end

      # Hands out no more, not even to waiting threads.
      def stop
        change { @stopped = true }
      end

      private

      def change
        @mutex.synchronize do
          yield
          @changed.broadcast
        end
        self
      end

      def ready = @entries.each_value.select { |entry| entry.needs.all? { |name| @placed[name] } }

      # Its own time plus that of the longest chain that waits for it.
      def urgency(entry, seen = {})
        return 0 if seen[entry.name]

        seen = seen.merge(entry.name => true)
        after = @entries.each_value.select { |other| other.needs.include?(entry.name) }
        entry.weight + (after.map { |other| urgency(other, seen) }.max || 0)
      end
    end
  end
end
