# frozen_string_literal: true

# Runs the core's part of a restore in a separate process; prints wall seconds, CPU seconds and peak KiB.
#
#   extract THREADS parallel|serial objects|tree STORE ARCHIVE...   extracts in this order
#   link THREADS STORE DESTINATION ARCHIVE...                       links what `extract` put into STORE

$LOAD_PATH.unshift File.expand_path("../../lib", __dir__), File.expand_path("../../../lib", __dir__)
require "spate"
require "digest"
require "fileutils"

# Implements both commands.
class CoreWork
  def initialize(threads, root)
    @threads = threads
    @root = root
    FileUtils.mkdir_p(["#{root}/packages", "#{root}/trees"])
    @store = Spate::Native::Store.new(root, unpack_threads: threads, link_threads: threads)
  end

  def extract(archives, parallel:, trees:)
    digests = archives.to_h { |path| [path, Digest::SHA512.file(path).hexdigest] } # as in a lockfile
    queue = Thread::Queue.new
    archives.each { |path| queue << path }
    queue.close
    timed { Array.new(@threads) { Thread.new { work_off(queue, digests, parallel, trees) } }.each(&:join) }
  end

  def link(destination, archives)
    jobs = archives.sort.map do |path|
      name = File.basename(path, ".tgz")
      manifest = @store.manifest("#{@root}/packages/#{name}") || raise("#{name} was not extracted")
      ["node_modules/.pnpm/#{name}/node_modules/#{name.tr("+", "/").rpartition("@").first}", [manifest], :hard]
    end
    timed { @store.link(jobs, root: destination).all?(&:ok?) || raise("linking failed") }
  end

  private

  def work_off(queue, digests, parallel, trees)
    while (path = queue.pop)
      name = File.basename(path, ".tgz")
      more = { tree: ("#{@root}/trees/#{name}" if trees), parallel_from: (false unless parallel) }.compact
      unpacked = @store.unpack(path, kind: :npm, sha512: digests.fetch(path), **more)
      unpacked.write_manifest("#{@root}/packages/#{name}", "")
      unpacked.close
    end
  end

  def timed
    wall = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    yield
    puts [Process.clock_gettime(Process::CLOCK_MONOTONIC) - wall,
          Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - cpu,
          File.read("/proc/self/status")[/VmHWM:\s*(\d+)/, 1]].join(" ")
  end
end

case ARGV.shift
when "extract"
  threads, how, what, root, *archives = ARGV
  CoreWork.new(Integer(threads), root).extract(archives, parallel: how == "parallel", trees: what == "tree")
when "link"
  threads, root, destination, *archives = ARGV
  CoreWork.new(Integer(threads), root).link(destination, archives)
end
