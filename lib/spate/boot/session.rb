# frozen_string_literal: true

module Spate
  module Boot
    # The state of one boot: which parts are active, and why the others are not.
    class Session
      # Measures wall and CPU time since the process started or, if /proc does not report the start, since this object
      # was created.
      class ProcessTime
        # Milliseconds. Linux reports times to programs in hundredths of a second on every architecture (USER_HZ).
        TICK = 10
        # The index of the field in /proc/PID/stat, counted from the end of the name in parentheses.
        START = 19

        def initialize(stat: "/proc/self/stat")
          @stat = stat
          @wall = now
          @processor = processor
        end

        # [wall, processor] in milliseconds.
        def to_a
          wall = since_start
          wall ? [wall, processor] : [now - @wall, processor - @processor]
        end

        private

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond)
        def processor = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :millisecond)

        # nil if the value is unknown or implausible.
        def since_start
          return unless Process.const_defined?(:CLOCK_BOOTTIME)

          fields = File.read(@stat).rpartition(") ").last.split
          wall = Process.clock_gettime(Process::CLOCK_BOOTTIME, :millisecond) - (Integer(fields[START]) * TICK)
          wall if wall >= now - @wall
        rescue SystemCallError, TypeError, ArgumentError
          nil
        end
      end

      ENVIRONMENTS = %w[RAILS_ENV RACK_ENV].freeze

      # Values of $PROGRAM_NAME before the program's name is known: Spate's launchers, and Ruby, because RubyGems sets
      # up the bundle (BUNDLER_SETUP) before Ruby opens the script.
      PRELIMINARY = %r{(?:/spate(?:-ruby)?|(?:\A|/)ruby[\d.]*)\z}

      class << self
        # The kind of this boot: "rails server", "rake db:migrate", "puma [test]". Computed once, because programs
        # modify ARGV.
        def kind = @kind ||= kind_of($PROGRAM_NAME, ARGV.first)

        # word: the program's first argument, if any.
        def kind_of(program, word = nil, env: ENV)
          text = [File.basename(program), word].compact.join(" ")
          text = File.basename(program) unless text.match?(%r{\A[\w:. /-]{1,80}\z})
          [text, *environment(env)].join(" ")
        end

        # Formats an error in one line. Spate's errors include their hint, other errors their class.
        def reason(error)
          text = error.message.lines.first.to_s.chomp
          return "#{error.class}: #{text}" unless error.respond_to?(:exit_code)

          error.hint ? "#{text}; #{error.hint}" : text
        end

        private

        # RAILS_ENV or RACK_ENV is part of the kind, because each environment may load different files.
        def environment(env)
          name = ENVIRONMENTS.map { |key| env[key].to_s }.find { |value| value.match?(/\A\w{1,20}\z/) }
          ["[#{name}]"] if name
        end
      end

      attr_reader :switches, :application
      # part (Symbol) => true if active, otherwise the reason (String).
      attr_reader :parts
      # Native::CompileCache of this application and its overlay; nil unless one is usable.
      attr_accessor :cache, :overlay
      # Whether the Bundler replay is outdated and should be rebuilt.
      attr_accessor :outdated
      # The environment before any part of the boot changed it (Hash).
      attr_reader :environment
      # Milliseconds from the process start to the end of the boot, as wall and CPU time; nil during the boot.
      attr_reader :wall, :processor
      # Milliseconds of these in garbage collection, and the number of heap slots of each size at the end ([] before
      # Ruby 3.3).
      attr_reader :collected, :slots
      # CompileCacheFolder; nil if no cache folder can be determined.
      attr_accessor :caches
      # Whether the boot log records this boot. False for warm parents, because the user has not started them.
      attr_accessor :logged

      def initialize(switches, application, environment = ENV.to_h)
        @switches = switches
        @application = application
        @environment = environment
        @parts = {}
        @logged = true
        Session.kind unless PRELIMINARY.match?($PROGRAM_NAME)
        @time = ProcessTime.new
      end

      # Records the end of the boot.
      def record_end
        @wall, @processor = @time.to_a
        @collected = GC.stat(:time)
        @slots = Exec::Heap::SIZED ? GC.stat_heap.values.map { |size| size[:heap_eden_slots] } : []
      end

      # Whether a part (:loader, :load_path_cache, :replay, ...) is active.
      def on?(part) = @parts[part] == true

      # Runs the block of a part, which returns true if the part is active, otherwise the reason (String). An error
      # prints one line and disables only that part.
      def part(name, wanted: true)
        @parts[name] = wanted ? yield || "missing" : "turned off"
      rescue StandardError, LoadError, NotImplementedError => e
        @parts[name] = Session.reason(e)
        Log.warn("booting without #{name.to_s.tr("_", " ")}: #{@parts[name]}")
      end

      # Warns once per boot, because several compile caches usually have the same fault.
      def warn_once(text)
        Log.warn(text) unless @warned
        @warned = true
      end

      # The compile cache's data with that name, or nil.
      def data(name) = cache&.data(name)

      # Whether this boot must not write files.
      def readonly? = switches.readonly? || caches.nil? || !caches.writable?
    end
  end
end
