# frozen_string_literal: true

require "open3"
require "rbconfig"
require "support/measure"
require "support/zlib_corpus"
require "support/zlib_goals"

module Benchmark
  # Measures the three tables of Ruby's Feature #6615, delays, and the curve of the GVL's cost. Each figure is measured
  # in a separate process. The variants take turns.
  class ZlibBenchmark
    FLOOR = File.expand_path("../../../build/floor/zlib", __dir__)
    RESULTS = File.expand_path("../results", __dir__)
    PROBE = File.expand_path("zlib_probe.rb", __dir__)
    DELAY = File.expand_path("zlib_delay.rb", __dir__)
    THREADS = [1, 2, 4].freeze

    # library, way: a variant in Ruby, see zlib_probe.rb. floor: the arguments of a variant in C, without the file and
    # the number of threads.
    Variant = Struct.new(:name, :library, :way, :floor, keyword_init: true)
    Sample = Struct.new(:wall, :cpu, :plain, :made, :objects)

    def initialize(rounds:, only:, scale:, size:, name: "zlib")
      @rounds = rounds
      @only = only
      @scale = scale
      @size = size
      @name = name
      @samples = Hash.new { |hash, key| hash[key] = [] }
    end

    def run
      system("make", "-s", "-C", File.expand_path("../../../benchmark/floor", __dir__)) ||
        abort("the floor could not be built")
      sets = all_sets.select { |title, *| wanted?(title) }
      @rounds.times { |round| sets.each { |set| measure(set, round) } }
      tables = sets.map { |title, corpus, variants| table(title, corpus, variants) }
      tables << delays if wanted?("delay")
      tables << curve if wanted?("curve")
      Table.write(@name, tables, results: RESULTS)
    end

    private

    def wanted?(title) = @only.nil? || title.include?(@only)

    # [title, corpus, variants]
    def all_sets
      %w[inflate deflate].flat_map do |direction|
        share = direction == "inflate" ? 1.0 : 0.125
        small = corpus("1000 B", 100_000 * share * [@scale * 2, 1].min, 1000)
        middle = corpus("100 KB", 10_700 * share * @scale, 100_000)
        long = corpus("stream", 4, @size * 1_000_000 * share / 4)
        [["#{direction}, #{megabytes(long)} in 4 pieces", long, streams(direction)],
         ["#{direction}, #{middle.count} x 100 KB", middle, pieces(direction)],
         ["#{direction}, #{small.count} x 1,000 B", small, pieces(direction)]]
      end
    end

    def corpus(name, count, length) = ZlibCorpus.new(name.delete(" "), count.ceil, length.to_i)
    def megabytes(corpus) = "#{corpus.bytes / 1_000_000} MB"

    def streams(direction)
      [variant("Ruby's zlib, stream of 64 KB", "stock", "#{direction}-stream"),
       variant("Spate, stream of 64 KB", "spate", "#{direction}-stream"),
       variant("Ruby's zlib, one call", "stock", direction),
       variant("Spate, one call", "spate", direction), *floors(direction)]
    end

    def pieces(direction)
      batches = [variant("Spate, #{direction}_all", "spate", "#{direction}-all")]
      batches << variant("Spate, each_inflated", "spate", "inflate-each") if direction == "inflate"
      [variant("Ruby's zlib, one call each", "stock", direction),
       variant("Spate, one call each", "spate", direction), *batches, *floors(direction)]
    end

    def floors(direction)
      [%w[zlib reused], %w[libdeflate reused], %w[libdeflate kept]].map do |library, memory|
        Variant.new(name: "C floor: #{library}, results #{memory}", floor: [direction, library, memory])
      end
    end

    def variant(name, library, way) = Variant.new(name: name, library: library, way: way)

    def measure((title, corpus, variants), round)
      THREADS.each do |threads|
        variants.each do |variant|
          warn "#{round + 1}/#{@rounds} #{title}: #{variant.name}, #{threads}" if ENV["VERBOSE"]
          sample = variant.floor ? floor_sample(variant, corpus, threads) : probe_sample(variant, corpus, threads)
          @samples[[title, variant.name, threads]] << sample if sample
        end
      end
    end

    def probe_sample(variant, corpus, threads)
      Sample.new(*numbers(*ruby, PROBE, variant.library, variant.way, corpus.path, threads.to_s))
    end

    def floor_sample(variant, corpus, threads)
      direction, library, memory = variant.floor
      out, status = Open3.capture2(FLOOR, corpus.path, direction, library, threads.to_s, memory)
      return if status.exitstatus == 77 # built without libdeflate
      raise "the floor failed" unless status.success?

      wall, cpu, made = out.split.map { |number| Float(number) }
      raise "the floor made #{made} bytes" if direction == "inflate" && made != corpus.bytes

      Sample.new(wall, cpu, corpus.bytes, made, nil)
    end

    def ruby = [RbConfig.ruby, "-W0", "--disable-gems", "-I#{File.expand_path("../../lib", __dir__)}"]

    def numbers(*command)
      out, error, status = Open3.capture3(*command)
      raise "#{command.last(4).join(" ")}: #{error}" unless status.success?

      out.split.map { |number| Float(number) }
    end

    def table(title, corpus, variants)
      columns = ["", *THREADS.map { |n| "MB/s, #{n} thread#{"s" if n > 1}" }, "CPU s/GB, 1 thread", "2", "4",
                 "to Ruby's zlib", "objects a piece", "deflated to", "goal"]
      table = Table.new("#{title} (#{megabytes(corpus)})", columns)
      goals = ZlibGoals.new(title, variants.to_h { |variant| [variant.name, facts(title, variant)] })
      variants.each { |variant| table.row(variant.name, *cells(title, variant, variants), goals.cell(variant.name)) }
      table
    end

    # Returns nil for a variant that was not run.
    def facts(title, variant)
      own = THREADS.map { |threads| @samples[[title, variant.name, threads]] }
      return if own.any?(&:empty?)

      median = ->(samples, figure) { Figures.median(samples.map(&figure)) }
      ZlibGoals::Facts.new(rates: own.map { |samples| median[samples, ->(s) { s.plain / s.wall / 1e6 }] },
                           costs: own.map { |samples| median[samples, ->(s) { s.cpu * 1e9 / s.plain }] },
                           objects: own.first.first.objects, part: own.first.first.made / own.first.first.plain)
    end

    def cells(title, variant, variants)
      own = THREADS.map { |threads| @samples[[title, variant.name, threads]] }
      return Array.new(9, "not run") if own.any?(&:empty?)

      rates = own.map { |samples| samples.map { |sample| sample.plain / sample.wall / 1e6 } }
      costs = own.map { |samples| Figures.median(samples.map { |sample| sample.cpu * 1e9 / sample.plain }) }
      sample = own.first.first
      objects = sample.objects && format("%.2f", Figures.median(own.first.map(&:objects)))
      [*rates.map { |list| format("%.0f (%.0f-%.0f)", Figures.median(list), *list.minmax) },
       *costs.map { |cost| format("%.2f", cost) }, ratio(title, variant, variants), objects,
       deflated(variant, sample)]
    end

    # Returns the speed relative to Ruby's zlib for each number of threads: the median of the ratios within a round. A
    # stream is compared with the stream of Ruby's zlib.
    def ratio(title, variant, variants)
      base = variants.find { |each| each.library == "stock" && each.way == variant.way }
      base ||= variants.select { |each| each.library == "stock" }.last
      THREADS.map do |threads|
        pairs = @samples[[title, variant.name, threads]].zip(@samples[[title, base.name, threads]])
        format("%.2f", Figures.median(pairs.map { |own, stock| stock.wall / own.wall }))
      end.join(" / ")
    end

    def deflated(variant, sample)
      way = variant.way || variant.floor.first
      way.start_with?("deflate") ? format("%.2f %%", sample.made * 100 / sample.plain) : ""
    end

    # ---- The worst delay of another thread ----

    def delays
      inflate = corpus("one", 1, @size * 1_000_000)
      deflate = corpus("one", 1, @size * 250_000)
      table = Table.new("Another Ruby thread's worst delay during one call (delay)",
                        ["", "worst delay, ms: median (min-max)", "with a processor to be had", "the call, s", "goal"])
      rows = [["nothing (asleep for 1 s)", "stock", "idle", deflate]]
      [["inflate", inflate], ["deflate", deflate]].each do |way, corpus|
        rows << ["Ruby's zlib, #{way} of #{megabytes(corpus)}", "stock", way, corpus]
        rows << ["Spate, #{way} of #{megabytes(corpus)}", "spate", way, corpus]
      end
      delay_rows(rows).each { |row| table.row(*row) }
      table
    end

    def delay_rows(rows)
      samples = Array.new([@rounds, 3].max) do
        rows.map { |_, library, way, corpus| numbers(*ruby, DELAY, library, way, corpus.path, "1") }
      end
      rows.each_with_index.map do |(name, *), i|
        worst, held, wall = samples.map { |row| row[i] }.transpose
        [name, *[worst, held].map { |list| format("%.1f (%.1f-%.1f)", Figures.median(list), *list.minmax) },
         format("%.2f", Figures.median(wall)), delay_goal(name, Figures.median(worst))]
      end
    end

    def delay_goal(name, median)
      name.start_with?("Spate") ? Goals.words([["≤ 5 ms", median <= 5]]) : ""
    end

    # ---- The length from which releasing the GVL pays ----

    def curve
      lengths = [256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]
      samples = { "stock" => [], "spate" => [] }
      @rounds.times { samples.each { |library, list| list << numbers(*ruby, DELAY, library, "curve", "", "1") } }
      table = Table.new("Microseconds of one inflate by the length of its input (curve)",
                        ["about so many bytes in", "Ruby's zlib alone", "Spate alone",
                         "Ruby's zlib beside a thread that computes", "Spate beside one"])
      lengths.each_index do |i|
        figures = [0, 1].flat_map do |offset|
          samples.each_value.map { |list| format("%.1f", Figures.median(list.map { |row| row[2 * i + offset] })) }
        end
        table.row(lengths[i], *figures)
      end
      table.note("Spate holds the GVL below 8 KB of input (SPATE_HOLD_BELOW): a call that lets go waits up to a time " \
                 "slice of 100 ms for the thread that computes.")
    end
  end
end
