# frozen_string_literal: true

module Runner
  # The duration of each test program in the last run of `bin/test --times`, in config/test-times: wall clock seconds,
  # seconds of processor time, name; the longest first.
  class Times
    PATH = "config/test-times"
    # Seconds assumed for a program that is not listed, so that new programs start early.
    UNKNOWN = 30.0

    def initialize(root)
      @path = File.join(root, PATH)
    end

    # The wall clock seconds of a program.
    def of(name) = rows.dig(name, 0) || UNKNOWN

    # The seconds of processor time of a program, 0 if it is not listed.
    def processor(name) = rows.dig(name, 1) || 0

    # jobs: jobs that have run. whole: whether these are all jobs. If so, rows of removed programs are dropped.
    def record(jobs, whole:)
      ran = jobs.reject { |job| job.seconds.zero? }.to_h { |job| [job.name, [job.seconds, job.processor]] }
      kept = whole ? ran : rows.merge(ran)
      sorted = kept.sort_by { |name, (seconds, _)| [-seconds, name] }
      File.write(@path, sorted.map { |name, times| row(name, times) }.join)
      @rows = nil
    end

    private

    def row(name, times) = format("%<clock>7.1f %<cpu>7.1f  %<name>s\n", clock: times[0], cpu: times[1], name: name)

    # { name => [seconds, seconds of processor time] }
    def rows
      @rows ||= lines.to_h do |line|
        seconds, processor, name = line.split(" ", 3)
        [name, [Float(seconds), Float(processor)]]
      end
    end

    def lines = File.exist?(@path) ? File.readlines(@path, chomp: true) : []
  end
end
