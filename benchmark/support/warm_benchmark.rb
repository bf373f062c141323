# frozen_string_literal: true

require "json"
require "open3"
require "support/boot_app"
require "support/boot_bootsnap"
require "support/compile_caches"
require "support/measure"

module Benchmark
  # Commands forked from a warm parent, compared with bootsnap. See benchmark/warm.
  class WarmBenchmark
    # {title => [words, the most CPU in relation to bootsnap that is acceptable]}
    COMMANDS = {
      "rails runner 1" => [%w[bin/rails runner 1], 0.08],
      "rails test, one file" => [%w[bin/rails test test/one_test.rb], 0.15],
      "rspec, one file" => [%w[rspec spec/one_spec.rb], 0.15],
      "rake -T" => [%w[rake -T], 0.3]
    }.freeze
    FILES = {
      # Its thread would be an obstacle to the application's parent.
      "config/initializers/threads.rb" => <<~RUBY,
        Rails.application.config.after_initialize do
          Thread.list.each { |thread| thread.kill.join if thread.class.name.start_with?("Rack::MiniProfiler") }
        end
      RUBY
      "test/one_test.rb" => <<~RUBY,
        ENV["RAILS_ENV"] ||= "test"
        require_relative "../config/environment"
        require "rails/test_help"
        class OneTest < ActiveSupport::TestCase
          test("one") { assert_equal 1, 1 }
        end
      RUBY
      "spec/one_spec.rb" => <<~RUBY
        ENV["RAILS_ENV"] ||= "test"
        require_relative "../config/environment"
        require "rspec/rails"
        RSpec.describe("one") { it("is one") { expect(1).to eq(1) } }
      RUBY
    }.freeze
    SMAPS = 'puts File.read("/proc/self/smaps_rollup")'
    # Seconds.
    PATIENCE = 300
    # wall, cpu: seconds.
    Run = Struct.new(:wall, :cpu)
    TICK = 100.0

    def initialize(rounds:, app:, only: "")
      @rounds = rounds
      @commands = COMMANDS.select { |title, _| title.include?(only) }
      @app = BootApp.new(app)
    end

    def run
      @app.prepare
      FILES.each { |path, text| write(path, text) }
      @app.run(%w[ruby bin/rails db:migrate], "RAILS_ENV" => "test") if @commands.keys.grep(/one file/).any?
      Table.write(result, [depths, commands, memory, cold])
    ensure
      system(@app.env, Peers.launcher, "warm", "off", chdir: @app.folder, out: File::NULL)
    end

    private

    def result = RUBY_VERSION.start_with?("3.1") ? "warm" : "warm-#{RUBY_VERSION[/\A\d+\.\d+/]}"

    def write(path, text)
      path = File.join(@app.folder, path)
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, text) unless File.exist?(path) && File.read(path) == text
    end

    # ---- depths ----

    RUNNER = %w[bin/rails runner 1].freeze
    PARENT = ["bin/rails", "runner", "print Process.ppid"].freeze
    OBSTACLE = "config/initializers/obstacle.rb"

    # One command from each kind of parent, and booted.
    def depths
      framework, application = both_parents
      away = "#{application["record"]}.away"
      rows = { "bootsnap #{BootBootsnap.version}" => -> { bootsnap(RUNNER) },
               "Spate, booted" => -> { boot(spate(RUNNER), "SPATE_WARM" => "0") },
               "Spate, framework parent" => -> { from(framework, hiding: [application["record"], away]) },
               "Spate, application parent" => -> { from(application) } }
      runs = Array.new(@rounds) { rows.values.map(&:call) }.transpose
      table = Table.new("bin/rails runner 1 in #{@app.title} (#{@app.gems} gems)",
                        ["", "CPU (s)", "wall (s)", "ratio of CPU", "ratio of wall time"])
      base, = figures = runs.map { |all| [all.sum(&:cpu) / all.size, Figures.median(all.map(&:wall))] }
      rows.keys.zip(figures) do |name, (cpu, wall)|
        table.row(name, *[cpu, wall, cpu / base.first, wall / base.last].map { |value| format("%.3f", value) })
        warn "#{name}: #{cpu.round(3)} #{wall.round(3)}"
      end
      table.note("#{@rounds} interleaved runs. CPU: mean. Wall time: median.")
    end

    # The application's parent is hidden meanwhile, because a command takes the deepest one.
    def from(parent, hiding: nil)
      File.rename(*hiding) if hiding
      seen = boot_output(spate(PARENT), warm).to_i
      raise "forked from #{seen}, not from #{parent}" unless seen == parent["pid"]

      forked(RUNNER)
    ensure
      File.rename(*hiding.reverse) if hiding
    end

    def both_parents
      2.times { bootsnap(RUNNER) }
      write(OBSTACLE, "$obstacle = IO.pipe\n")
      framework = await("framework development")
      FileUtils.rm_f(File.join(@app.folder, OBSTACLE))
      forget_attempts
      application = await("application development")
      Dir.glob("#{folder}/*.lock").each { |path| File.write(path.sub(/lock\z/, "attempts"), "." * 14) }
      [framework, application]
    ensure
      FileUtils.rm_f(File.join(@app.folder, OBSTACLE))
    end

    # Runs commands until one is forked from a parent of this kind.
    def await(kind)
      give_up = now + PATIENCE
      loop do
        seen = boot_output(spate(PARENT), warm).to_i
        found = parents.find { |parent| parent["pid"] == seen && parent["kind"] == kind }
        return found if found
        raise "no parent #{kind}: #{status}" if now > give_up

        CompileCaches.settle(@app)
        sleep 1 while making?
      end
    end

    # Without the warnings of a boot.
    def boot_output(words, env)
      Open3.capture2(@app.env(env), *words, chdir: @app.folder, stdin_data: "", err: File::NULL).first
    end

    def forget_attempts = Dir.glob("#{folder}/*.attempts").each { |path| File.unlink(path) }

    # ---- commands ----

    def commands
      table = Table.new("Commands in #{@app.title} (#{@app.gems} gems)",
                        ["command", "bootsnap #{BootBootsnap.version}: CPU, wall (s)", "Spate, forked: CPU, wall (s)",
                         "ratio of CPU", "ratio of wall time", "goal"])
      @commands.each { |title, (words, goal)| add(table, title, words, goal) }
      table.note("#{@rounds} interleaved runs. CPU: mean, because the kernel counts a parent's children in steps of " \
                 "0.01 s. Wall time: median.")
    end

    def add(table, title, words, goal)
      fill(words)
      runs = Array.new(@rounds) { [bootsnap(words), forked(words)] }.transpose
      cpu = runs.map { |all| all.sum(&:cpu) / all.size }
      wall = runs.map { |all| Figures.median(all.map(&:wall)) }
      ratios = [cpu, wall].map { |one, other| other / one }
      cells = cpu.zip(wall).map { |pair| format("%.3f, %.3f", *pair) }
      table.row(title, *cells, *ratios.map { |ratio| format("%.3f", ratio) },
                "#{ratios.first <= goal ? "hit" : "MISS"} (#{goal})")
      warn "#{title}: #{cells.join("; ")}: #{ratios.first.round(3)}"
    end

    # Fills bootsnap's cache, and boots until there is a parent.
    def fill(words)
      forget_attempts # those of #both_parents
      2.times { bootsnap(words) }
      give_up = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE
      loop do
        before = booted
        boot(spate(words), warm)
        return if before && booted == before

        CompileCaches.settle(@app)
        sleep 1 while making?
        raise "no parent: #{status}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > give_up
      end
    end

    def bootsnap(words)
      words = words.first.start_with?("bin/") ? ["ruby", *words] : ["bundle", "exec", *words]
      boot(words, BootBootsnap.env)
    end

    def forked(words)
      before = booted
      run = boot(spate(words), warm)
      raise "#{words.join(" ")} booted: #{status}" unless booted == before

      run
    end

    def warm = { "SPATE_WARM" => "1" }
    def spate(words) = [Peers.launcher, "exec", *words]

    # CPU: of the command, and of parents and their children meanwhile.
    def boot(words, env)
      before = [now, children, parents_cpu]
      output, status = Open3.capture2e(@app.env(env), *words, chdir: @app.folder, stdin_data: "")
      after = [now, children, parents_cpu]
      raise "#{words.join(" ")} failed:\n#{output[0, 4000]}" unless status.success?

      wall, own, others = after.zip(before).map { |one, other| one - other }
      Run.new(wall, own + [others, 0].max)
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    def children = Process.times.then { |times| times.cutime + times.cstime }

    def parents_cpu
      parents.sum do |parent|
        File.read("/proc/#{parent["pid"]}/stat").rpartition(") ").last.split[11, 4].sum(&:to_i) / TICK
      rescue SystemCallError
        0
      end
    end

    def folder = "#{@app.home}/spate/store/v1/warm"
    def parents = Dir.glob("#{folder}/*.json").map { |path| JSON.parse(File.read(path)) }
    def booted = Dir.glob("#{folder}/*.booted").map { |path| File.mtime(path) }.max
    def status = Open3.capture2e(@app.env, Peers.launcher, "warm", "status", chdir: @app.folder).first

    def making?
      Dir.glob("#{folder}/*.lock").any? { |path| File.open(path) { |lock| !lock.flock(File::LOCK_EX | File::LOCK_NB) } }
    end

    # ---- memory ----

    def memory
      fill(%w[bin/rails runner 1])
      parent = parents.find { |one| one["kind"] == "application development" }
      plain, _status = Open3.capture2e(@app.env, *spate(["bin/rails", "runner", SMAPS]), chdir: @app.folder)
      forked, _status = Open3.capture2e(@app.env(warm), *spate(["bin/rails", "runner", SMAPS]), chdir: @app.folder)
      texts = [plain, File.read("/proc/#{parent["pid"]}/smaps_rollup"), forked]
      table = Table.new("Memory (MB)", ["process", "resident", "proportional", "private, written"])
      ["booted, at its end", "parent", "forked, at its end"].zip(texts) do |name, text|
        table.row(name, *%w[Rss Pss Private_Dirty].map { |key| text[/^#{key}:\s+(\d+)/, 1].to_i / 1024 })
      end
      table
    end

    # ---- a boot without a parent ----

    def cold
      off = { "SPATE_WARM" => "0" }
      boot(spate(%w[bin/rails runner 1]), off)
      pause
      runs = Array.new(@rounds) do
        [boot(spate(%w[bin/rails runner 1]), off), boot(spate(%w[bin/rails runner 1]), warm)]
      end.transpose
      cpu = runs.map { |all| Figures.median(all.map(&:cpu)) }
      table = Table.new("A boot without a parent", ["warm boots off: CPU (s)", "on: CPU (s)", "ratio"])
      table.row(*cpu.map { |value| format("%.3f", value) }, format("%.3f", cpu.last / cpu.first))
    end

    # Ends the parents. Those that follow have to wait, so that none is started during the measurement.
    def pause
      system(@app.env, Peers.launcher, "warm", "off", chdir: @app.folder, out: File::NULL)
      Dir.glob("#{folder}/*.lock").each { |path| File.write(path.sub(/lock\z/, "attempts"), "." * 14) }
    end
  end
end
