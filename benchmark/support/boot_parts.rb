# frozen_string_literal: true

require "support/boot_ways"

module Benchmark
  # The parts of the benchmark for one application. Each returns a Table.
  class BootParts
    def initialize(app, pairs:, only:, targets:)
      @app = app
      @pairs = pairs
      @only = only
      @targets = targets
    end

    def development = warm("development")
    def production = warm("production")

    # Every run starts with an empty page cache, so Ruby itself is also read from disk.
    def cold
      return not_run("cold page cache", "needs root") unless Process.uid.zero? && File.writable?(DROP)

      ways = BootWays.new(@app, before: -> { drop_caches })
      rows = chosen([ways.plain, ways.bootsnap, ways.spate("lean"), ways.spate("heap")])
      fill(BootWays.new(@app), rows)
      Rounds.run(rows, @pairs)
      told("cold page cache, development", rows, "heap")
      table("development, cold page cache", rows)
    end

    # Measures `ruby -e 1` in the bundle, the shortest possible program.
    def exec
      ways = BootWays.new(@app, code: "")
      fill(ways, [ways.spate("heap")])
      prove_bundler
      bundle, *spate = rows = exec_rows
      rows.each(&:sample)
      Rounds.run(rows, @pairs)
      @targets.found("spate exec ruby -e 1 by RubyGems' wrapper, to bundle exec", @app, Rounds.ratio(spate[0], bundle))
      @targets.found("spate exec ruby -e 1 by the launcher, to bundle exec", @app, Rounds.ratio(spate[1], bundle))
      table("ruby -e 1 in the bundle", rows, base: bundle)
    end

    # Compares the processor time for building every gem's compile cache with that of a plain boot, for all processes.
    def build
      plain = BootWays.new(@app).plain
      command = [Peers.launcher, "install", "--quiet", "--compile-cache", "wait"]
      builder = BootRow.new("building all compile caches", @app, command, before: -> { CompileCaches.forget(@app) })
      plain.sample
      Rounds.run([plain, builder], [@pairs, 5].min)
      @targets.found("building all compile caches, CPU to one plain boot's", @app, Rounds.ratio(builder, plain, :cpu))
      number, bytes = CompileCaches.size(@app)
      raise "nothing was built" if number < @app.gems / 2

      table("building", [plain, builder]).note("#{number} compile caches, #{bytes >> 20} MB.")
    end

    # Compares the first boot after an install that built the gems' compile caches with bootsnap's first boot.
    def first
      prepare_first
      ways = BootWays.new(@app, before: -> { BootBootsnap.forget(@app) })
      bootsnap = ways.bootsnap
      ways = BootWays.new(@app, before: -> { CompileCaches.restore(@app) })
      rows = [bootsnap, ways.first]
      rows.each(&:sample)
      Rounds.run(rows, @pairs)
      @targets.found("first boot with compile caches built, to bootsnap's first", @app, Rounds.ratio(rows[1], rows[0]))
      table("first boot", rows, base: bootsnap)
    end

    # Measures the effect of a grown or presized heap on a long-running process.
    def requests
      return unless @app.name == "large" # REQUESTS uses the pages of this application

      ways = BootWays.new(@app, code: "load %q(#{REQUESTS}); load ENV.fetch(%q(BOOT_PROBE))",
                                env: { "FLIPPER_MEMOIZE" => "false" }) # else it queries a table in each request
      rows = [ways.plain, ways.bootsnap, ways.spate("lean"), ways.spate("heap")]
      fill(BootWays.new(@app), rows)
      Rounds.run(rows, @pairs)
      @targets.found("resident memory after 1,000 requests", @app, resident_after(rows.last, rows[1]))
      requests_table(rows)
    end

    DROP = "/proc/sys/vm/drop_caches"
    REQUESTS = File.expand_path("boot_requests.rb", __dir__)

    private

    def warm(mode)
      ways = BootWays.new(@app, mode: mode)
      rows = chosen([ways.plain, ways.bootsnap, *ways.steps, ways.required, ways.bootsnap_heap])
      fill(ways, rows)
      Rounds.run(rows, @pairs)
      told("#{mode}, heap untouched, CPU", rows, "lean", :cpu)
      told("#{mode}, heap presized, CPU", rows, "heap", :cpu)
      told("resident memory, heap untouched", rows, "lean", :memory) if mode == "development"
      table("#{mode}, warm", rows)
    end

    # The selected rows. The first two, plain Ruby and bootsnap, are always included as a baseline.
    def chosen(rows) = @only ? rows.take(2) + rows.drop(2).select { |row| row.name.include?(@only) } : rows

    # Fills the caches by booting each row a few times.
    def fill(ways, rows)
      ways.warm(ways.spate("heap"))
      rows.each { |row| 2.times { row.sample } }
      CompileCaches.settle(@app)
    end

    def told(goal, rows, step, what = :wall)
      row = rows.find { |one| one.name.end_with?(step) && one.name.start_with?("Spate") }
      @targets.found(goal, @app, Rounds.ratio(row, bootsnap(rows), what)) if row
    end

    def bootsnap(rows) = rows.find { |row| row.name.start_with?("bootsnap") }

    def exec_rows
      env = { "RAILS_ENV" => "development" }
      one = %w[ruby -e 1]
      wrapper = [RbConfig.ruby, "-I#{Peers::ROOT}/lib", "#{Peers::ROOT}/exe/spate"]
      [BootRow.new("bundle exec ruby -e 1, Bundler #{Peers.bundler}", @app, ["bundle", "exec", *one], env: env),
       BootRow.new("spate exec, RubyGems' wrapper", @app, [*wrapper, "exec", *one], env: env),
       BootRow.new("spate exec, launcher", @app, [Peers.launcher, "exec", *one], env: env),
       BootRow.new("ruby -e 1, no bundle", @app, one, env: env)]
    end

    # Checks that `bundle exec` loads the Bundler version in the row's name.
    def prove_bundler
      found = @app.run(["bundle", "exec", "ruby", "-e", "puts Bundler::VERSION"]).lines.last.chomp
      raise "bundle exec loads Bundler #{found}, not #{Peers.bundler}" unless found == Peers.bundler
    end

    def prepare_first
      CompileCaches.forget(@app)
      @app.run([Peers.launcher, "install", "--quiet", "--compile-cache", "wait"])
      CompileCaches.keep(@app)
    end

    def drop_caches
      system("sync")
      File.write(DROP, "3")
    end

    # Returns the same as Rounds.ratio: [median, lower quartile, upper quartile].
    def resident_after(row, base)
      ratios = row.samples.zip(base.samples).map do |one, other|
        one.facts[:requests][:resident].fdiv(other.facts[:requests][:resident])
      end.sort
      [Figures.median(ratios), ratios[ratios.length / 4], ratios[ratios.length * 3 / 4]]
    end

    def requests_table(rows)
      number = rows.first.samples.first.facts[:requests][:number]
      table = Table.new("#{@app.title}, development, a boot and #{number} requests",
                        ["", "CPU ms", "to #{rows[1].name.split.first}", "collections in the requests", "of them major",
                         "their ms", "resident MB after", "told"])
      rows.each { |row| table.row(row.name, *request_cells(row, rows[1])) }
      table.note("#{rows.first.samples.length} rounds, interleaved: medians; CPU also (min-max). Requests in the " \
                 "process, seven pages in turn.")
    end

    def request_cells(row, base)
      of = ->(name) { Figures.median(row.samples.map { |sample| sample.facts[:requests][name] }) }
      [milliseconds(row, :cpu), format("%.2f", Rounds.ratio(row, base, :cpu).first), of[:collections].to_i,
       of[:major].to_i, (of[:collected] * 1000).to_i, of[:resident].to_i / 1024,
       row.samples.last.facts[:parts].to_h[:heap] == true ? "of its heap" : ""]
    end

    def not_run(title, reason)
      Table.new("#{@app.title}, #{title}", ["", ""]).row("not run", reason)
    end

    def table(title, rows, base: bootsnap(rows))
      table = Table.new("#{@app.title}, #{title}",
                        ["", "wall ms", "to #{base ? base.name.split.first : rows.first.name}", "CPU ms", "to",
                         "resident MB", "collections", "proof: loaded, from compile caches, by the load-path cache"])
      rows.each { |row| table.row(row.name, *cells(row, base || rows.first)) }
      table.note("Bundler #{Peers.bundler} wherever Bundler is loaded. " \
                 "#{rows.first.samples.length} rounds, interleaved, every other one backwards: median (min-max); " \
                 "ratios: median (quartiles) of the rounds' own. Resident: the largest set, at the end of the boot.")
    end

    def cells(row, base)
      last = row.samples.last.facts
      memory = row.median(:memory)
      [milliseconds(row, :wall), format("%.2f (%.2f-%.2f)", *Rounds.ratio(row, base)), milliseconds(row, :cpu),
       format("%.2f", Rounds.ratio(row, base, :cpu).first), memory.zero? ? "" : memory.to_i / 1024, last[:collections],
       proof(last)]
    end

    def milliseconds(row, what)
      values = row.samples.map { |sample| sample[what] * 1000 }
      format("%.0f (%.0f-%.0f)", Figures.median(values), *values.minmax)
    end

    def proof(facts)
      return "" unless facts[:features]

      loader = facts[:loader].to_h
      words = [facts[:features]]
      words << (loader[:hit].to_i + loader[:revalidated].to_i) << facts[:requirer].to_h[:hit].to_i if facts[:parts]
      words << "sized heap" if facts[:parts].to_h[:heap] == true
      words.join(", ")
    end
  end
end
