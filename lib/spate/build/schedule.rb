# frozen_string_literal: true

module Spate
  module Build
    # Chooses the next build: among the builds whose dependencies are installed, the one with the longest chain of
    # dependent builds. Thread-safe.
    class Schedule
      autoload :Durations, "spate/build/schedule/durations"
      autoload :PackageFiles, "spate/build/schedule/standalone"
      autoload :Standalone, "spate/build/schedule/standalone"

      Entry = Struct.new(:name, :weight, :needs, :payload)

      def initialize
        @entries = {} # name => Entry of waiting builds
        @placed = {} # name => true: installed gems
        @mutex = Mutex.new
        @changed = ConditionVariable.new
      end

      # weight: seconds (see Durations). needs: names of gems that must be installed before it starts.
      def add(name, weight:, needs: [], payload: name)
        change { @entries[name] = Entry.new(name, weight, needs, payload) }
      end

      # Marks these gems, native or not, as installed.
      def placed(*names)
        change { names.each { |name| @placed[name] = true } }
      end

      # Waits for a build that can start. Returns its payload, or nil after `stop`.
      def take
        @mutex.synchronize do
          loop do
            return if @stopped

            entry = ready.max_by { |one| urgency(one) }
            return @entries.delete(entry.name).payload if entry

            @changed.wait(@mutex)
          end
        end
      end

      # Makes all waiting and later calls of `take` return nil.
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

      # The duration of the build plus the duration of the longest chain of builds that depend on it.
      def urgency(entry, seen = {})
        return 0 if seen[entry.name]

        seen = seen.merge(entry.name => true)
        after = @entries.each_value.select { |other| other.needs.include?(entry.name) }
        entry.weight + (after.map { |other| urgency(other, seen) }.max || 0)
      end
    end
  end
end
