# frozen_string_literal: true

module Benchmark
  # The goals of one table. `cell` returns the table cell with the goals of a variant and whether they are met. One
  # thread is compared by CPU time, which does not depend on other work on the machine. Several threads are compared by
  # wall time.
  class ZlibGoals
    # Medians of a row. rates (MB/s), costs (CPU s/GB): by number of threads. objects: per piece. part: compressed size
    # relative to the original.
    Facts = Struct.new(:rates, :costs, :objects, :part, keyword_init: true)

    FLOOR = "C floor: libdeflate, results kept"

    # facts: { name => Facts, or nil for a variant that was not run }.
    def initialize(title, facts)
      @inflates = title.start_with?("inflate")
      @kind = title[/pieces|100 KB|1,000 B/]
      @facts = facts
    end

    def cell(name)
      return "" unless name.start_with?("Spate") && @facts[name]

      Goals.words([*(@inflates ? inflate(name) : deflate(name)), cost(name)])
    end

    private

    def inflate(name)
      case [@kind, name[/stream|one call each|one call|_all|each_inflated/]]
      in ["pieces", "stream"] then [quicker(name, 1.15)]
      in ["pieces", _] then [quicker(name, 2.3), cheap(name, 1.6)]
      in ["100 KB", "_all"] then [*near_floor(name), quicker(name, 2.5), cheap(name, 1.7)]
      in ["100 KB", "one call each"] then [four_quicker(name, 2.6)]
      in ["1,000 B", "_all"] then [*near_floor(name), quicker(name, 3)]
      in ["1,000 B", "one call each"] then [quicker(name, 1.4), *four_threads(name, 1), fewer_objects(name)]
      else []
      end
    end

    def deflate(name)
      return [] if name.include?("stream")

      size = (@facts[name].part / stock(name).part) - 1
      [quicker(name, 2), [format("size ≤ +1 %% (%+.2f %%)", size * 100), size <= 0.01],
       ["2 threads ≥ 1.8x", @facts[name].rates[1] >= @facts[name].rates[0] * 1.8], *four_threads(name, 2)]
    end

    def stock(name)
      like = name.include?("stream") ? "Ruby's zlib, stream" : "Ruby's zlib, one call"
      @facts.find { |other, _| other.start_with?(like) }.last
    end

    def quicker(name, times)
      ratio = stock(name).costs[0] / @facts[name].costs[0]
      [format("≥ %<times>sx (%<ratio>.2fx)", times: times, ratio: ratio), ratio >= times]
    end

    def four_quicker(name, times)
      ratio = @facts[name].rates[2] / stock(name).rates[2]
      [format("4 threads ≥ %<times>sx (%<ratio>.2fx)", times: times, ratio: ratio), ratio >= times]
    end

    def cheap(name, most) = ["≤ #{most} CPU s/GB", @facts[name].costs[0] <= most]

    def near_floor(name)
      floor = @facts[FLOOR]
      return [["≥ 90 % of the floor", nil]] unless floor

      parts = floor.rates.zip(@facts[name].rates).map { |most, own| own / most }
      [["≥ 90 % of the floor (#{parts.map { |part| format("%.0f", part * 100) }.join(", ")})", parts.min >= 0.9]]
    end

    # Four threads must not be slower. A difference of 5 % is tolerated, because two equal runs differ by as much.
    def four_threads(name, than)
      index = than == 1 ? 0 : 1
      [["4 threads not slower than #{than}", @facts[name].rates[2] >= @facts[name].rates[index] * 0.95]]
    end

    def fewer_objects(name) = ["no more objects", @facts[name].objects <= stock(name).objects + 0.01]

    def cost(name)
      most = @facts[name].costs.zip(stock(name).costs).map { |own, theirs| own / theirs }.max
      [format("CPU never more (at most %.2fx)", most), most <= 1.02]
    end
  end
end
