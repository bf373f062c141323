# frozen_string_literal: true

module Runner
  # One command of the test run, on a process of its own, and what came out of it.
  class Job
    # Seconds after which a silent test is taken for hung.
    LIMIT = 600

    attr_reader :part, :name, :seconds, :output, :passed, :failed, :skips

    # part: "core", "fuzz", "ruby" or "style". counts: reads [passed, failed, skips] out of the output.
    def initialize(part, name, command, counts:, env: {}, limit: LIMIT)
      @part = part
      @name = name
      @command = command
      @counts = counts
      @env = env
      @limit = limit
      @passed = @failed = 0
      @skips = []
    end

    def run(root)
      started = now
      @ok = execute(root)
      @seconds = now - started
      @passed, @failed, @skips = @counts.read(@output, @ok)
      # A program that died before it could count has failed all the same; one that could not be run says why.
      @failed = 1 if !@ok && @failed.zero? && (@passed.positive? || @skips.empty?)
      self
    end

    def ok? = @failed.zero?

    # Ends the command and its children.
    def stop
      Process.kill(:TERM, -@pid) if @pid
    rescue Errno::ESRCH
      nil
    end

    private

    def execute(root)
      reader, writer = IO.pipe
      @pid = Process.spawn(@env, *@command, chdir: root, in: File::NULL, %i[out err] => writer, pgroup: true)
      writer.close
      clock = Thread.new { expire }
      @output = read(reader)
      Process.wait2(@pid).last.success? && !@expired
    ensure
      clock&.kill
      @pid = nil
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
