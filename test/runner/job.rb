# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require_relative "mounts"

module Runner
  # One command of the test run in a separate process, and its results.
  class Job
    # Seconds without output after which a test is stopped.
    LIMIT = 480
    # Seconds after which processes that a test has left must have closed its output.
    LEFT = 120
    # The variables that determine where a program finds the user's files.
    HOMES = { "HOME" => "home", "XDG_CACHE_HOME" => "cache", "XDG_CONFIG_HOME" => "config", "XDG_DATA_HOME" => "data",
              "XDG_STATE_HOME" => "state", "TMPDIR" => "tmp" }.freeze

    # Starts a command with a shell. At the end the shell writes the times of the command and its children to a file,
    # such as "0m1.25s 0m0.30s" in the second line.
    class Shell
      TIMED = '"$@"; code=$?; times >&3; exit $code'

      # pid: the ID of the process and of its process group.
      attr_reader :pid

      def initialize(command, times)
        @command = command
        @times = times
      end

      def start(root, env, output)
        @pid = Process.spawn(env, *Mounts.prefix, "sh", "-c", TIMED, "sh", *@command,
                             chdir: root, in: File::NULL, %i[out err] => output, 3 => [@times, "w"], pgroup: true)
        self
      end

      # [whether it succeeded, seconds of processor time]
      def wait
        good = Process.wait2(@pid).last.success?
        [good, File.read(@times)[/\n.*/].to_s.scan(/(\d+)m([\d.]+)s/).sum { |m, s| (m.to_i * 60) + s.to_f }]
      end
    end

    # seconds: wall clock time; processor: processor time, including child processes that were waited for.
    attr_reader :part, :name, :seconds, :processor, :output, :passed, :failed, :skips

    # part: a part of Plan, such as "core" or "ruby". counts: parses [passed, failed, skips] from the output. missing:
    # the reason why the command cannot run on this machine, in which case it is one skip. repeat: the command that runs
    # it again, by default the same command. program: a Preloaded::Program to run instead. early: whether the job needs
    # neither bin/compile nor the tools of bin/setup. left: seconds that processes which it has left may still write.
    def initialize(part, name, command, counts:, env: {}, limit: LIMIT, missing: nil, repeat: nil, program: nil,
                   early: false, left: LEFT)
      @part = part
      @name = name
      @command = command
      @counts = counts
      @env = env
      @limit = limit
      @missing = missing
      @repeat = repeat
      @program = program
      @early = early
      @left = left
      @passed = @failed = 0
      @seconds = @processor = 0.0
      @output = ""
      @skips = []
    end

    # A new job with the same command.
    def again
      Job.new(@part, @name, @command, counts: @counts, env: @env, limit: @limit, missing: @missing, repeat: @repeat,
                                      program: @program, early: @early)
    end

    def early? = @early

    # The number of tests that a sample did not run.
    def left_out = @output[/^Left out: (\d+) tests$/, 1].to_i

    def run(root)
      return skip if @missing

      started = now
      folder = Dir.mktmpdir("spate-tests-")
      File.chmod(0o755, folder) # some tests run programs as another user
      ok = execute(root, folder)
      clear(folder)
      @seconds = now - started
      @passed, @failed, @skips = @counts.read(@output, ok)
      # A program that died before it printed counts has failed. One that could not run has a reason.
      @failed = 1 if !ok && @failed.zero? && (@passed.positive? || @skips.empty?)
      self
    end

    def ok? = @failed.zero?

    # Commands that run the failed tests again: one for each failed test if the output contains its name, else one for
    # the job.
    def repeats
      return [@command.join(" ")] unless @repeat

      tests = @counts.respond_to?(:failures) ? @counts.failures(@output) : []
      tests.empty? ? [@repeat] : tests.map { |test| "#{@repeat} -n #{test}" }
    end

    # Stops the command and its child processes.
    def stop
      Process.kill(:TERM, -@pid) if @pid
    rescue Errno::ESRCH
      nil
    end

    private

    def skip
      @skips = ["#{@name}: #{@missing}"]
      self
    end

    # Retries, because a process that a test left may still write.
    def clear(folder)
      attempts ||= 0
      FileUtils.remove_entry(folder)
    rescue SystemCallError => e
      return warn("#{@name}: #{folder} stays: #{e.message}") if (attempts += 1) > 20

      sleep 0.25
      retry
    end

    def execute(root, folder)
      reader, writer = IO.pipe
      started = (@program || Shell.new(@command, File.join(folder, "times")))
                .start(root, homes(folder).merge(@env), writer)
      @pid = started.pid
      writer.close
      clock = Thread.new { expire }
      text = String.new
      reading = Thread.new { loop { text << reader.readpartial(65_536) } }
      reading.report_on_exception = false
      good, @processor = started.wait
      left = ended(reading) ? "" : "\na process that it started still had its output open after #{@left} s\n"
      expired = @expired ? "\nno end after #{@limit} s: stopped\n" : ""
      @output = text.force_encoding(Encoding::UTF_8).scrub + left + expired
      good && left.empty? && expired.empty?
    ensure
      [clock, reading].each { |thread| thread&.kill }
      reader.close
      @pid = nil
    end

    # Waits for the end of the output.
    def ended(reading)
      !reading.join(@left).nil?
    rescue EOFError
      true
    end

    def homes(folder)
      HOMES.transform_values { |name| File.join(folder, name).tap { |path| FileUtils.mkdir_p(path) } }
    end

    def expire
      sleep @limit
      @expired = true
      stop
      sleep 5
      Process.kill(:KILL, -@pid) if @pid
    rescue Errno::ESRCH
      nil
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
