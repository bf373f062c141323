# frozen_string_literal: true

require "digest"
require "fileutils"

# Base of the rows that read or write cache entries. Each entry has different content.
class CacheRow < Row
  LARGE = 10 << 20
  SMALL = 10 << 10

  def work = { kind: :cache, protocol: "http/1.1", tls: false }
  def contestants = [SpateCache, SpateCacheYJIT, NginxDav].map(&:new)
  def reference = "nginx"
  def cost_unit = large? ? "CPU s/GB" : "CPU s per 100,000"
  def rate_unit = large? ? "GB/s" : "100,000 requests/s"

  private

  # Creates the entries. Returns { request path => file }.
  def entries
    @entries ||= Array.new(count) do |index|
      content = Random.new(index).bytes(bytes)
      path = File.join(@folder, "entries", bytes.to_s, index.to_s)
      FileUtils.mkdir_p(File.dirname(path))
      File.binwrite(path, content)
      ["/cas/#{Digest::SHA256.hexdigest(content)}", path]
    end.to_h
  end

  # Returns the amount of work: in GB for large entries, in 100,000 requests for small ones.
  def units(times = 1) = large? ? times * count * bytes / (1 << 30).to_f : times * count / 100_000.0

  def large? = bytes == LARGE
  def bytes = self.class::BYTES
  def count = [(self.class::COUNT * @scale).round, 3].max
  def store(contender) = Clients.put(url(contender, ""), entries)
end

class ReadLargeEntries < CacheRow
  BYTES = LARGE
  COUNT = 20
  TIMES = 3

  def title = "GET, 10 MB, one connection"

  private

  def measure(contender)
    store(contender)
    names = entries.keys.map { |path| url(contender, path) }
    Clients.get(names, bytes)
    cost(contender, units(TIMES)) { Clients.get(names * TIMES, bytes) }
  end
end

class ReadSmallEntries < CacheRow
  BYTES = SMALL
  COUNT = 200
  TIMES = 25

  def title = "GET, 10 KB, ten connections"

  private

  def measure(contender)
    store(contender)
    sleep 2.5 # servers do not cache files that changed just now
    list = File.join(@folder, "names")
    File.write(list, entries.keys.map { |path| url(contender, path) }.join("\n"))
    Clients.each_of(list, 2 * count)
    cost(contender, units(TIMES)) { Clients.each_of(list, TIMES * count) }
  end
end

class WriteLargeEntries < CacheRow
  BYTES = LARGE
  COUNT = 30

  def title = "PUT, 10 MB, one connection"

  private

  def measure(contender)
    first = entries.first.last
    Clients.put(url(contender, ""), { "/ac/#{"0" * 64}" => first }) # warm-up: loads code
    cost(contender, units) { store(contender) }
  end
end

class WriteSmallEntries < WriteLargeEntries
  BYTES = SMALL
  COUNT = 1000

  def title = "PUT, 10 KB, one connection"
end
