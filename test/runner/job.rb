# frozen_string_literal: true

require "fileutils"
require "tmpdir"

module Runner
  # One command of the test run in a separate process, and its results.
  class Job
    # Seconds after which a silent test counts as hung.
    LIMIT = 480
    # The variables by which a program finds the user's files.
    HOMES = { "HOME" => "home", "XDG_CACHE_HOME" => "cache", "XDG_CONFIG_HOME" => "config", "XDG_DATA_HOME" => "data",
              "XDG_STATE_HOME" => "state", "TMPDIR" => "tmp" }.freeze

    # Starts a command by a shell, which writes the times of the command and its children to a file at the end, as
    # "0m1.25s 0m0.30s" in the second line.
    class Shell
      TIMED = '"$@"; code=$?; times >&3; exit $code'

      # pid: also of the process group.
      attr_reader :pid

      def initialize(command, times)
        @command = command
        @times = times
      end

      def start(root, env, output)
        @pid = Process.spawn(env, "sh", "-c", TIMED, "sh", *@command,
                             chdir: root, in: File::NULL, %i[out err] => output, 3 => [@times, "w"], pgroup: true)
        self
      end

      # [whether it succeeded, seconds of processor time]
      def wait
        good = Process.wait2(@pid).last.success?
        [good, File.read(@times)[/\n.*/].to_s.scan(/(\d+)m([\d.]+)s/).sum { |m, s| (m.to_i * 60) + s.to_f }]
      end
    end

    # seconds: wall clock; processor: seconds of processor time, including child processes that were waited for.
    attr_reader :part, :name, :seconds, :processor, :output, :passed, :failed, :skips

    # part: "core", "fuzz", "ruby" or "style". counts: reads [passed, failed, skips] out of the output.
    # missing: why the command cannot run on this machine; then it is one skip. repeat: the command that runs it
    # again, by default the command itself. program: a Preloaded::Program, which is run instead. early: whether it needs
    # neither bin/compile nor the tools of bin/setup.
    def initialize(part, name, command, counts:, env: {}, limit: LIMIT, missing: nil, repeat: nil, program: nil,
                   early: false)
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
      @passed = @failed = 0
      @seconds = @processor = 0.0
      @output = ""
      @skips = []
    end

    # The same command, not run yet.
    def again
      Job.new(@part, @name, @command, counts: @counts, env: @env, limit: @limit, missing: @missing, repeat: @repeat,
                                      program: @program, early: @early)
    end

    def early? = @early

    def run(root)
      return skip if @missing

      started = now
      folder = Dir.mktmpdir("spate-tests-")
      File.chmod(0o755, folder) # some tests run programs as another user
      ok = execute(root, folder)
      clear(folder)
      @seconds = now - started
      @passed, @failed, @skips = @counts.read(@output, ok)
      # A program that died before its counts has failed; one that could not run has a reason.
      @failed = 1 if !ok && @failed.zero? && (@passed.positive? || @skips.empty?)
      self
    end

    def ok? = @failed.zero?

    # Commands that run failed tests again, alone: one per failed test if the output names them, else one for the job.
    def repeats
      return [@command.join(" ")] unless @repeat

      tests = @counts.respond_to?(:failures) ? @counts.failures(@output) : []
      tests.empty? ? [@repeat] : tests.map { |test| "#{@repeat} -n #{test}" }
    end

    # Ends the command and its children.
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

    # A process left by a test may write for a moment more; a leftover mount stays and is reported.
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
      @output = read(reader)
      good, @processor = started.wait
      good && !@expired
    ensure
      clock&.kill
      @pid = nil
    end

    def homes(folder)
      HOMES.transform_values { |name| File.join(folder, name).tap { |path| FileUtils.mkdir_p(path) } }
    end

    def read(reader)
      reader.read.force_encoding(Encoding::UTF_8).scrub + (@expired ? "\nno end after #{@limit} s: stopped\n" : "")
    ensure
      reader.close
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
