# frozen_string_literal: true

module Benchmark
  # Links small packages in a loop, alone and while two threads unpack as fast as they can, all through one store.
  class Surge
    ARCHIVES = 16
    FILES = 2000
    LINKED = 71
    ALONE = 1.0 # seconds

    def initialize(archives, scratch, threads)
      @archives = archives
      @scratch = scratch
      @threads = threads
    end

    def table
      prepare
      alone = link_until(now + ALONE)
      before = now
      extractors = start_extraction
      during = link_until { extractors.none?(&:alive?) }
      extracted = @unpacked.size / (now - before)
      rows(Table.new("Linking during a surge of extraction", ["", "links a second", "longest gap, ms"]), alone, during, extracted)
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def prepare
      @folder = File.join(@scratch, "surge")
      @store = Spate::Native::Store.new(File.join(@folder, "store", "v1"), unpack_threads: @threads, link_threads: @threads)
      path = File.join(@store.root, "tmp", "manifest")
      @store.unpack(@archives.gem("package", files: LINKED, seed: 1)).write_manifest(path, "")
      @manifest = @store.manifest(path)
      @queue = Array.new(ARCHIVES) { |i| @archives.gem("surge", files: FILES, seed: i) }
      @unpacked = []
      @linked = 0
    end

    def start_extraction
      queue = Queue.new
      @queue.each { |archive| queue << archive }
      queue.close
      Array.new(@threads) do |i|
        Thread.new do
          while (archive = queue.pop)
            unpacked = @store.unpack(archive, tree: File.join(@store.root, "tmp", "tree#{i}-#{queue.size}"))
            raise "not parallel" unless unpacked.parallel?

            @unpacked << unpacked.count
            unpacked.close
          end
        end
      end
    end

    # [links a second, longest time between two packages]
    def link_until(deadline = nil)
      started = last = now
      links = 0
      gap = 0
      until deadline ? now > deadline : yield
        result = @store.link([[File.join(@folder, "linked", (@linked += 1).to_s), [@manifest], :hard]]).first
        raise result.message unless result.ok?

        links += result.linked
        gap = [gap, now - last].max
        last = now
      end
      [links / (now - started), gap]
    end

    def rows(table, alone, during, extracted)
      table.row("alone", alone[0].round, (alone[1] * 1e3).round(1))
           .row("during", during[0].round, (during[1] * 1e3).round(1))
           .row("share", format("%.0f%%", during[0] / alone[0] * 100), "")
           .note("Beside it #{@threads} threads unpacked #{ARCHIVES} archives of #{FILES} files: #{(extracted * FILES).round} files a second.")
           .note("Asked for: at least 50% of linking alone, no gap over 100 ms.")
    end
  end
end
