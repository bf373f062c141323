# frozen_string_literal: true

module Spate
  module CLI
    # Shows how an install spent its time: records each event with its time and thread, and writes an HTML page at the
    # end (assets/timeline). Loaded only with --timeline.
    class Timeline
      %i[Lane Lanes Span Spans].each { |name| autoload name, "spate/cli/timeline/spans" }

      # when:: monotonic seconds. thread:: the thread that emitted the event. facts:: the event, a Hash
      Note = Struct.new(:when, :thread, :facts)

      # Returns a Timeline subscribed to the events, or nil without --timeline. values: the command's options.
      def self.of(values, events)
        if values[:timeline]
          timeline = new(values[:timeline], against: values[:against])
          events.subscribe { |event| timeline.call(event) }
          return timeline
        end

        left = %i[against serial].find { |name| values[name] } or return
        raise UsageError.new("--#{left} needs --timeline", hint: "spate js --timeline FILE --#{left}")
      end

      # file: path of the page to write. against: path of the page of an earlier run to compare with, or nil. Raises
      # UsageError if that page is invalid or the file is not writable.
      def initialize(file, against: nil, clock: Util.method(:now))
        @file = writable(File.expand_path(file))
        @earlier = against ? Page.runs(against) : []
        @clock = clock
        @notes = []
        @started = clock.call
        @load = Load.new(clock: clock)
      end

      # Receives an event from Spate::Events.
      def call(event) = @notes << Note.new(@clock.call, Thread.current, event)

      # Writes the page and prints its path. json: receives events, or nil.
      def finish(command, summary, terminal, json: nil)
        write(command: command, summary: summary)
        json ? json.call(event: :timeline, page: @file) : terminal.info("timeline: #{Util::Terminal.plain(@file)}")
      end

      # Writes the page and returns its path. command: [String]. summary: the last output line of the run.
      def write(command:, summary:)
        @load.stop
        File.write(@file, Page.new([*@earlier.first(1), run(command, summary)]).to_s)
        @file
      end

      private

      def writable(file)
        folder = File.dirname(file)
        reason = "no such directory: #{folder}" unless File.directory?(folder)
        reason ||= "it is a directory" if File.directory?(file)
        reason ||= "it is not writable" unless File.writable?(File.exist?(file) ? file : folder)
        return file unless reason

        raise UsageError.new("--timeline: cannot write to #{file}: #{reason}",
                             hint: "name a file in an existing folder: --timeline page.html")
      end

      # The data of this run. Times are seconds since the start.
      def run(command, summary)
        spans = Spans.of(@notes)
        lanes = Lanes.assign(spans)
        { command: command.join(" "), summary: summary, seconds: since(@clock.call), at: Time.now.to_i, spate: VERSION,
          ruby: RUBY_VERSION, processors: Util::Processors.count,
          load: @load.samples.map { |moment, busy| [since(moment), busy.round(2)] },
          lanes: lanes.map { |lane| [lane.phase, lane.number] },
          spans: spans.map { |span| row(span, lanes) }, marks: marks }
      end

      def row(span, lanes)
        [span.name, span.gem, span.phase, lanes.index(span.lane), since(span.start), span.seconds.round(6), span.bytes,
         span.files]
      end

      # Events without a duration: [seconds since the start, text].
      def marks
        @notes.filter_map do |note|
          text = Spans::MARKS[note.facts[:event]]
          [since(note.when), [text, note.facts[:message]].compact.join(": ")] if text
        end
      end

      def since(moment) = (moment - @started).round(6)

      # The page of one run, or of this run and an earlier one.
      class Page < Profile::Page
        ASSETS = File.expand_path("../../../assets/timeline", __dir__)
        DATA = %r{<script type="application/json" id="data">(.*?)</script>}m

        # The runs of an existing page, last one first. Raises UsageError.
        def self.runs(path)
          text = File.read(path, encoding: Encoding::UTF_8)
          runs = JSON.parse(text[DATA, 1].to_s).fetch("runs")
          runs.is_a?(Array) && runs.any? ? runs.reverse : raise(KeyError)
        rescue SystemCallError, JSON::ParserError, KeyError, TypeError, ArgumentError
          raise UsageError.new("--against: #{path} was not written by --timeline",
                               hint: "create one: spate js --timeline FILE")
        end

        private

        def style = super + asset("page.css")
      end

      # Samples how many processors the threads of this process use, including threads of the C core, which emit no
      # events. Child processes (compilers, scripts) are not included.
      class Load
        PERIOD = 0.02

        # [[monotonic seconds, average number of busy processors since the previous sample]]
        attr_reader :samples

        def initialize(clock:)
          @clock = clock
          @samples = []
          @last = [clock.call, used]
          @thread = Thread.new { sample while sleep(PERIOD) }
        end

        def stop
          @thread.kill.join
          sample
        end

        private

        def sample
          now = [@clock.call, used]
          seconds = now[0] - @last[0]
          return unless seconds.positive?

          @samples << [now[0], (now[1] - @last[1]) / seconds]
          @last = now
        end

        def used = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      end
    end
  end
end
