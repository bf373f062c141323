# frozen_string_literal: true

module Spate
  module Profile
    # Evaluates the recorded times of a run: frames with self and total times, shares of the whole time, and times per
    # gem. All times are in microseconds.
    class Trace
      # A require, load, initializer, hook or part of Spate. wall, cpu and gc include inner frames; own_wall, own_cpu
      # and own_gc exclude them. search: the time until Ruby requested the file's code. load: the time from then until
      # it received the code.
      Frame = Struct.new(:number, :parent, :kind, :name, :path, :gem, :start, :wall, :cpu, :gc, :search, :load,
                         :gc_load, :served, :own_wall, :own_cpu, :own_gc)
      SLOWEST = 10
      LABELS = {
        start: "Ruby's start, until the first line", setup: "setting up: Bundler, RubyGems, Spate",
        find: "finding files: search and stat", load: "code: loaded from compile caches, or compiled",
        gc: "garbage collection", initializers: "initializers and load hooks", run: "running the files",
        program: "the program itself"
      }.freeze
      SETUP = %r{/(?:bundler/setup|rubygems)\.rb\z|/spate/boot/}
      EMPTY = { own: 0, total: 0, cpu: 0, gc: 0, files: 0, hits: 0 }.freeze

      # mode: "spate exec" or "bundle exec". at: seconds since the epoch.
      def initialize(stamps, command:, mode:, at:, application: Dir.pwd)
        @stamps = stamps
        @command = command
        @mode = mode
        @at = at
        @owners = Owners.new(stamps[:gems], application)
      end

      def wall = micro(@stamps[:ended] - @stamps[:started])

      # The trace as plain values, for JSON.
      def to_h
        { format: FORMAT, spate: VERSION, mode: @mode, command: @command, at: @at, ruby: @stamps[:ruby], wall: wall,
          cpu: micro(@stamps[:cpu]), resident: @stamps[:resident], end: boot_end,
          collections: @stamps[:collections], probe: micro(@stamps[:calls] * @stamps[:cost]), shares: shares,
          stat: stat, gems: slowest, groups: groups, files: files, parts: @stamps[:parts] || {},
          loader: @stamps[:loader] || {}, requirer: @stamps[:requirer] || {}, **rows }
      end

      private

      def micro(nanoseconds) = (nanoseconds / 1000.0).round

      def frames
        @frames ||= @stamps[:frames].each_with_index.map { |stamp, number| frame(number, stamp) }.tap { |all| own(all) }
      end

      def frame(number, stamp)
        parent, kind, name, path, entered, cpu, gc, found, gc_found, code, gc_code, left, cpu_left, gc_left, served =
          stamp
        Frame.new(number, parent, kind, name, path, @owners.of(path), micro(entered - @stamps[:started]),
                  micro(left - entered), cpu_left ? micro(cpu_left - cpu) : 0, gc_left ? micro(gc_left - gc) : 0,
                  found ? micro(found - entered) : 0, code ? micro(code - (found || entered)) : 0,
                  code ? micro(gc_code - (gc_found || gc)) : 0, served)
      end

      def own(all)
        all.each do |frame|
          frame.own_wall, frame.own_cpu, frame.own_gc = frame.wall, frame.cpu, frame.gc
          outer = frame.parent && all[frame.parent] or next # inner frames were already subtracted from this one
          outer.own_wall -= frame.wall
          outer.own_cpu -= frame.cpu
          outer.own_gc -= frame.gc
        end
      end

      # [{name:, label:, wall:}]. If only one thread was working, they add up to the whole time.
      def shares
        found = Hash.new(0)
        found[:start] = micro(@stamps[:began] - @stamps[:started])
        found[:gc] = micro(@stamps[:gc])
        frames.each { |frame| share(frame, found) }
        found[:program] = [wall - found.values.sum, 0].max
        LABELS.map { |name, label| { name: name, label: label, wall: found[name] } }
      end

      def share(frame, found)
        load = [frame.load - frame.gc_load, 0].max
        found[:find] += frame.search
        found[:load] += load
        rest = [frame.own_wall - frame.search - load - frame.own_gc, 0].max
        found[bucket(frame)] += rest
      end

      def bucket(frame)
        case frame.kind
        when :part then :setup
        when :initializer, :hooks, :call then :initializers
        else setup?(frame) ? :setup : :run
        end
      end

      def setup?(frame) = frame.path&.match?(SETUP) || (frame.parent && setup_above?(frame))

      def setup_above?(frame)
        above = frames[frame.parent]
        above.kind == :part || above.path&.match?(SETUP) ? true : false
      end

      def boot_end
        mark = @stamps[:marks][:after_initialize]
        { by: mark ? "after_initialize" : @stamps[:ended_by]&.to_s,
          at: mark ? micro(mark - @stamps[:started]) : nil }
      end

      # Measures how long stat takes for all loaded files.
      def stat
        paths = frames.filter_map(&:path).uniq
        before = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
        paths.each { |path| Native.stat(path) }
        { files: paths.size, wall: micro(Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - before) }
      end

      def tallies
        @tallies ||= frames.each_with_object({}) do |frame, all|
          next unless frame.gem

          tally = (all[frame.gem] ||= EMPTY.dup)
          add(tally, frame)
          tally[:total] += frame.wall unless inside?(frame)
        end
      end

      def add(tally, frame)
        tally[:own] += frame.own_wall
        tally[:cpu] += frame.own_cpu
        tally[:gc] += frame.own_gc
        return unless %i[require load].include?(frame.kind)

        tally[:files] += 1
        tally[:hits] += 1 if frame.served
      end

      # Whether an enclosing frame belongs to the same gem.
      def inside?(frame)
        above = frame
        while above.parent
          above = frames[above.parent]
          return true if above.gem == frame.gem
        end
        false
      end

      def slowest
        rows = tallies.select { |name, _| @owners.gem?(name) }.sort_by { |_, tally| -tally[:own] }
        rows.first(SLOWEST).map { |name, tally| { name: name, **tally } }
      end

      def groups
        all = tallies.partition { |name, _| @owners.gem?(name) }
        gems = all.first.map(&:last).reduce(EMPTY) { |one, other| one.merge(other) { |_, a, b| a + b } }
        [{ name: "#{all.first.size} gems", **gems }] + all.last.map { |name, tally| { name: name, **tally } }
      end

      def files
        frames.select(&:path).max_by(SLOWEST, &:own_wall).map do |frame|
          { path: frame.path, gem: frame.gem, own: frame.own_wall, total: frame.wall }
        end
      end

      # The frames as rows of numbers. Strings are replaced by indexes into a list of texts.
      def rows
        texts = {}
        text = ->(string) { string && (texts[string] ||= texts.size) }
        outcomes = @stamps[:outcomes] || {}
        list = frames.map do |frame|
          outcome = outcomes[frame.path] || (:other if frame.served)
          [frame.parent, text[frame.kind.to_s], text[frame.name], text[frame.path], text[frame.gem], frame.start,
           frame.wall, frame.own_wall, frame.cpu, frame.own_gc, frame.search, frame.load, text[outcome&.to_s]]
        end
        { columns: %w[parent kind name path gem start wall own cpu gc find load outcome], texts: texts.keys,
          frames: list }
      end
    end

    # Finds the gem that owns a file: the gem with the longest folder that contains it.
    class Owners
      OTHERS = ["application", "Ruby's library", "Spate", "elsewhere"].freeze
      # Matches files of gems without a loaded specification, such as the Bundler that sets up the bundle.
      INSTALLED = %r{/(?:gems|bundler/gems)/([^/]+-[^/]+)/}

      # folders: {full_gem_path => full name}. application: folder of the application.
      def initialize(folders, application)
        require "rbconfig"
        @folders = folders.reject { |path, _| path.empty? }
        ruby = %w[rubylibdir rubyarchdir vendordir].map { |name| RbConfig::CONFIG[name] }
        @others = { application => OTHERS[0], Run::LIBRARY => OTHERS[2] }
        ruby.each { |path| @others[path] ||= OTHERS[1] if path }
        @known = {}
      end

      # The gem's full name ("rack-3.0.8") or one of OTHERS; nil without a path.
      def of(path)
        return unless path

        @known[path] ||= gem(path) || other(path)
      end

      def gem?(name) = !OTHERS.include?(name)

      private

      def gem(path)
        folder = path
        while (length = folder.rindex("/")) && length > 0
          folder = folder[0, length]
          return @folders[folder] if @folders.key?(folder)
        end
        path[INSTALLED, 1]
      end

      def other(path)
        folder = @others.keys.select { |candidate| path.start_with?("#{candidate}/") }.max_by(&:length)
        @others[folder] || OTHERS.last
      end
    end
  end
end
