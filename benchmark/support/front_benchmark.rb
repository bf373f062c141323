# frozen_string_literal: true

require "fileutils"
require "rbconfig"
require "tmpdir"
require "spate"
require "support/measure"
require "support/project"

module Benchmark
  # Uses a generated application whose gems have no extensions and come from a source on this machine. It is installed,
  # with compile caches. CPU time is measured with getrusage(2).
  class FrontBenchmark
    FILES = 80
    # Commands that the front end completes from a record, without Ruby.
    RECORDED = [%w[install], %w[check]].freeze
    BACKGROUND = { "SPATE_BOOT_BACKGROUND" => nil }.freeze
    # The time limit for a record to be written, in seconds.
    PATIENCE = 300
    # The peak memory that a command without Ruby stays below, in KiB.
    WITHOUT_RUBY = 4 << 10
    # name => [arguments, goal as a ratio to `ruby -e 1` or nil]
    COMMANDS = { "version" => [%w[version], nil], "install, nothing to do" => [%w[install], 0.15],
                 "check" => [%w[check], 0.15], "exec ruby -e 1" => [%w[exec ruby -e 1], 1.05],
                 "exec ./tool (a script with #!/usr/bin/env ruby)" => [%w[exec ./tool], nil],
                 "help (handed over)" => [%w[help], nil] }.freeze

    BUNDLER = "Bundler"
    # Calls fstatat once for each file of the bundle: the least that detects an edit of any file.
    FLOOR = File.expand_path("../../build/floor/look", __dir__)

    # Times in milliseconds.
    Run = Struct.new(:wall, :processor)

    def initialize(rounds:, gems:)
      @rounds = rounds
      @gems = gems
    end

    def run
      system("make", "-s", "-C", File.expand_path("../floor", __dir__)) || abort("the floors could not be built")
      Dir.mktmpdir("front") do |folder|
        @folder = File.realpath(folder)
        install
        RECORDED.each { |words| learn(words) }
        interleave
        RECORDED.each { |words| answered?(words) or raise "spate #{words.join(" ")} started Ruby" }
        Table.write("front", [table, memory])
      end
    end

    private

    def install
      source = GemSource.start
      names = Array.new(@gems) { |number| "gem#{number}" }
      files = Array.new(FILES) { |number| ["lib/x/file#{number}.rb", "# #{"x" * 2000}\n"] }.to_h
      names.each { |name| source.add(name, "1.0", files: files) }
      gemfile = "source '#{source.url}'\n#{names.map { |name| "gem '#{name}'\n" }.join}"
      @peer = Spate::TestProject.new("#{@folder}/bundler/app", gemfile)
      @peer.bundle("install")
      @app = Spate::TestProject.new("#{@folder}/app", gemfile, env: { "SPATE_NO_OWN_CODE" => nil })
      @app.lock
      @app.spate!("install", "--compile-cache", "wait")
      @app.spate!("setup", "--dir", "#{@folder}/bin")
      File.write(@app.path("tool"), "#!/usr/bin/env ruby\n", perm: 0o755)
      # The boots record which files they load, then `boot build` compiles these.
      [%w[exec ruby -e 1], %w[exec ./tool], %w[boot build]].each { |words| @app.spate!(*words) }
    ensure
      source&.stop
    end

    # Runs a command until the front end completes it without Ruby and Spate's own files are compiled. The compile cache
    # changes which files a command reads.
    def learn(words)
      give_up = Time.now + PATIENCE
      until compiled? && answered?(words)
        raise "no record of spate #{words.join(" ")} after #{PATIENCE} s" if Time.now > give_up

        Measure.sample(env(words), [programs["launcher in Ruby"], *words], @app.folder)
        sleep 1
      end
      records = Dir.glob("#{@app.home}/spate/store/v1/in-place/*")
      records.each { |path| File.utime(soon = Time.now + 3600, soon, path) } # a recent record is not replaced
    end

    def compiled?
      names = Dir.glob("#{@app.home}/spate/store/v1/compile-cache/own/*")
      names.any? && names.none? { |path| path.end_with?(".lock") }
    end

    def answered?(words)
      Measure.sample(env(words), [programs["front end"], *words], @app.folder).memory < WITHOUT_RUBY
    end

    def env(words) = RECORDED.include?(words) ? @app.env.merge(BACKGROUND) : @app.env

    def programs = { "front end" => "#{@folder}/bin/spate", "launcher in Ruby" => "#{@folder}/bin/spate-ruby" }

    def interleave
      @plain = []
      @floors = []
      @runs = Hash.new { |hash, key| hash[key] = [] }
      round # unmeasured, fills the kernel's caches
      [@plain, @floors, @runs].each(&:clear)
      @rounds.times { round }
    end

    def round
      @plain << sample([RbConfig.ruby], %w[-e 1])
      @floors << floor
      @runs[["install, nothing to do", BUNDLER]] << sample(%w[bundle], %w[install], @peer.env, @peer)
      COMMANDS.each do |name, (words, _)|
        programs.each { |kind, path| @runs[[name, kind]] << sample([path], words) }
      end
    end

    def sample(program, words, env = env(words), app = @app)
      command = [*program, *words]
      before = children
      started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      pid = Process.spawn(env, *command, chdir: app.folder, %i[out err] => File::NULL)
      _, status = Process.wait2(pid)
      raise "#{command.join(" ")}: #{status}" unless status.success?

      Run.new((Process.clock_gettime(Process::CLOCK_MONOTONIC) - started) * 1000, (children - before) * 1000)
    end

    def floor
      wall, processor, @looks = IO.popen([FLOOR, @app.bundle_root], &:read).split.map(&:to_f)
      Run.new(wall * 1000, processor * 1000)
    end

    def children = Process.times.then { |times| times.cutime + times.cstime }

    def table
      table = Table.new("#{@gems} gems, #{@gems * FILES} files, #{@rounds} rounds",
                        ["command", "by", "wall, ms: median (min-max)", "processor, ms", "processor to `ruby -e 1`"])
      table.row("`ruby -e 1`", "", *cells(@plain))
      table.row("floor: fstatat, #{@looks.to_i} times", "C, one thread", *cells(@floors))
      COMMANDS.each do |name, (_, goal)|
        [*programs.keys, BUNDLER].each do |kind|
          table.row(name, kind, *cells(@runs[[name, kind]])) if @runs.key?([name, kind])
        end
        goal_note(table, name, goal) if goal
      end
      table.note("a command that is handed over: #{format("%+.2f", doubt)} ms of processor time (goal: at most +1)")
    end

    def goal_note(table, name, goal)
      met = ratio(@runs[[name, "front end"]]) <= goal
      table.note("#{name}, at most #{goal} of `ruby -e 1`: #{Goals::WORDS[met]}")
    end

    def doubt
      name = "help (handed over)"
      pairs = programs.keys.map { |kind| @runs[[name, kind]].map(&:processor) }
      Figures.median(pairs.first.zip(pairs.last).map { |front, launcher| front - launcher })
    end

    def cells(runs)
      processor = Figures.median(runs.map(&:processor))
      [Figures.spread(runs.map(&:wall)), format("%.2f", processor), format("%.3f", ratio(runs))]
    end

    # The median of the ratios within each round.
    def ratio(runs) = Figures.median(runs.zip(@plain).map { |run, plain| run.processor / plain.processor })

    def memory
      table = Table.new("Peak memory", %w[command MB])
      %w[version install].each do |word|
        used = Measure.sample(env([word]), [programs["front end"], word], @app.folder).memory
        table.row("`spate #{word}`", format("%.1f", used / 1024.0))
      end
      table.note("Goal: at most 4 MB where Ruby is not started")
    end
  end
end
