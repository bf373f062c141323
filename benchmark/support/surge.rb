# frozen_string_literal: true

module Benchmark
  # Links packages in a loop, alternately alone and while other threads unpack archives into the same store.
  class Surge
    ROUNDS = 5
    ARCHIVES = 4 # per round
    FILES = 2000
    PACKAGES = 10 # per call
    LINKED = 71 # files in each package
    ALONE = 0.4 # seconds

    def initialize(archives, scratch, threads)
      @archives = archives
      @scratch = scratch
      @threads = threads
    end

    def table
      prepare
      rounds = Array.new(ROUNDS) do |round|
        alone = link_until(now + ALONE)
        before = now
        extractors = start_extraction(round)
        during = link_until { extractors.none?(&:alive?) }
        extractors.each(&:value)
        [alone, during, ARCHIVES * FILES / (now - before)]
      end
      rows(Table.new("Linking during a surge of extraction", ["", "links a second, median", "longest gap, ms"]), rounds)
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def prepare
      @folder = File.join(@scratch, "surge")
      root = File.join(@folder, "store", "v1")
      @store = Spate::Native::Store.new(root, unpack_threads: @threads, link_threads: @threads)
      path = File.join(@store.root, "tmp", "manifest")
      @store.unpack(@archives.gem("package", files: LINKED, seed: 1)).write_manifest(path, "")
      @manifest = @store.manifest(path)
      @queue = Array.new(ROUNDS * ARCHIVES) { |i| @archives.gem("surge", files: FILES, seed: i) }
      @linked = 0
    end

    # Starts threads that unpack archives that are not yet in the store.
    def start_extraction(round)
      queue = Queue.new
      @queue[round * ARCHIVES, ARCHIVES].each { |archive| queue << archive }
      queue.close
      Array.new(@threads) do |i|
        Thread.new do
          while (archive = queue.pop)
            unpacked = @store.unpack(archive, tree: File.join(@store.root, "tmp", "tree#{round}-#{i}-#{queue.size}"))
            raise "not parallel" unless unpacked.parallel?

            unpacked.close
          end
        end
      end
    end

    # [links per second, longest time between the ends of two calls in seconds]
    def link_until(deadline = nil)
      started = last = now
      links = 0
      gap = 0
      until deadline ? now > deadline : yield
        jobs = Array.new(PACKAGES) { [File.join(@folder, "linked", (@linked += 1).to_s), [@manifest], :hard] }
        results = @store.link(jobs)
        raise results.reject(&:ok?).first.message unless results.all?(&:ok?)

        links += results.sum(&:linked)
        gap = [gap, now - last].max
        last = now
      end
      [links / (now - started), gap]
    end

    def rows(table, rounds)
      windows = rounds.map { |round| round.first(2) }.transpose
      alone, during = windows.map { |runs| [Figures.median(runs.map(&:first)), runs.map(&:last).max] }
      shares = rounds.map { |round| round[1][0] / round[0][0] * 100 }
      table.row("alone", alone[0].round, (alone[1] * 1e3).round(1))
           .row("during", during[0].round, (during[1] * 1e3).round(1))
           .row("share, median (min-max)", format("%.0f%% (%.0f-%.0f)", Figures.median(shares), *shares.minmax), "")
           .note("Beside it #{@threads} threads unpacked archives of #{FILES} files: " \
                 "#{Figures.median(rounds.map(&:last)).round} files a second.")
           .note("Asked for: at least 50% of linking alone, no gap over 100 ms.")
    end
  end
end
