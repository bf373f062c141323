# frozen_string_literal: true

module Spate
  module Install
    # The results of one run. Most values are numbers of packages. seconds: wall time. fetched_bytes: size of all
    # archives from the network. copied, relinked: number of converted files of installed packages. from_team,
    # team_bytes, builds_from_team: archives and builds from the team's cache.
    class Report
      attr_accessor :total, :fetched, :fetched_bytes, :from_team, :team_bytes, :builds_from_team, :from_store,
                    :from_vendor, :from_git, :in_folders, :built, :build_reused, :reused, :seconds, :edits,
                    :warnings, :messages, :removed, :copied, :relinked, :handed_over, :lockfile_written
      attr_writer :noop
      # Full names of gems whose builds cannot be used in other bundles.
      attr_reader :bound

      # events: Events to which warnings are also sent.
      def initialize(events = Events.new)
        @events = events
        @total = @fetched = @fetched_bytes = @from_store = @from_vendor = @built = @build_reused = @reused = 0
        @from_git = @in_folders = @copied = @relinked = @from_team = @team_bytes = @builds_from_team = 0
        @seconds = 0.0
        @edits = []
        @warnings = []
        @messages = []
        @removed = []
        @bound = []
      end

      def warn(text, **hint)
        warnings << text
        @events.emit(:warning, message: text, **hint)
      end

      # Whether nothing was installed, written or removed.
      def noop? = !!@noop && removed.empty? && copied.zero? && relinked.zero? && !lockfile_written

      # items: all items of the plan from gem sources, in their final state.
      def count(items)
        @total += items.size
        items.each { |item| tally(item) }
        @noop = items.all? { |item| item.origin == :bundle } && @from_git.zero?
        self
      end

      # all: number of gems from git checkouts and folders of the application. result: Folders::Step::Result.
      def count_folders(all, result)
        @total += all
        @from_git = result.made
        @in_folders = result.in_folders
        @reused += all - result.made - result.in_folders
        @built += result.built.size
        @build_reused += result.reused.size
        @builds_from_team += result.shared
        note_bound(result.built.filter_map(&:stored))
      end

      # files: number of installed files that were converted to copies or links.
      def changed_links(files, link_method)
        link_method == :copy ? @copied = files : @relinked = files
      end

      def to_h
        { total: total, fetched: fetched, fetched_bytes: fetched_bytes, from_store: from_store, from_team: from_team,
          team_bytes: team_bytes, builds_from_team: builds_from_team, from_vendor: from_vendor, from_git: from_git,
          in_folders: in_folders, built: built, builds_reused: build_reused, builds_bound: bound, reused: reused,
          seconds: seconds.round(3), peak_memory: peak_memory, removed: removed, copied: copied, relinked: relinked,
          lockfile_written: lockfile_written ? true : false, edits: edits.map(&:to_h), warnings: warnings }
      end

      # The peak resident set size of this process in bytes, or nil if unknown.
      def peak_memory
        kibibytes = File.read("/proc/self/status")[/^VmHWM:\s+(\d+)/, 1]
        kibibytes && (kibibytes.to_i << 10)
      rescue SystemCallError
        nil
      end

      private

      def tally(item)
        case item.origin
        when :network then @fetched += 1
                           @fetched_bytes += item.bytes.to_i
        when :team then @from_team += 1
        when :store then @from_store += 1
        when :vendor then @from_vendor += 1
        when :bundle then @reused += 1
        end
        @builds_from_team += 1 if item.shared
        item.seconds ? @built += 1 : (@build_reused += 1 if item.build)
        note_bound([item.build]) if item.seconds && item.build
      end

      # Collects builds that cannot be used in other bundles.
      def note_bound(builds) = @bound.concat(builds.map(&:record).select(&:root).map(&:full_name))
    end
  end
end
