# frozen_string_literal: true

require "fileutils"
require "tmpdir"

# A gem source on the loopback interface, for tests and benchmarks. It works with `gem`, `bundle` and Spate, and can
# simulate faults.
#
#   source = GemSource.start
#   source.add("hello", "1.0", dependencies: { "world" => ">= 1" }, native: true)
#   source.fault(%r{/gems/hello}, :status, code: 503, retry_after: 1, times: 2)
#   source.url                    # => "http://localhost:39871/"
#   source.requests.map(&:path)   # => ["/versions", "/info/hello", ...]
#   source.stop
#
# GemSource.start runs it in threads of this process, GemSource.spawn in a child process, for benchmarks:
#
#   source = GemSource.spawn(folder: "gems", latency_ms: 50, bandwidth: 25_000_000)
#
# In a shell, `ruby test/support/gem_source.rb --folder gems --latency-ms 50 --bandwidth 25000000` prints its URL, and
# serves until its standard input closes.
module GemSource
  autoload :Authority, File.expand_path("gem_source/authority", __dir__)
  autoload :Catalog, File.expand_path("gem_source/catalog", __dir__)
  autoload :Child, File.expand_path("gem_source/child", __dir__)
  autoload :Connection, File.expand_path("gem_source/connection", __dir__)
  autoload :Fault, File.expand_path("gem_source/fault", __dir__)
  autoload :Pages, File.expand_path("gem_source/pages", __dir__)
  autoload :Proxy, File.expand_path("gem_source/proxy", __dir__)
  autoload :Recipe, File.expand_path("gem_source/recipe", __dir__)
  autoload :Repository, File.expand_path("gem_source/repository", __dir__)
  autoload :Site, File.expand_path("gem_source/site", __dir__)
  autoload :Request, File.expand_path("gem_source/message", __dir__)
  autoload :Response, File.expand_path("gem_source/message", __dir__)
  autoload :Server, File.expand_path("gem_source/server", __dir__)

  # folder: .gem files to serve; created if missing, temporary by default. Other options: see Server.
  def self.start(folder: nil, **options)
    own = folder ? nil : Dir.mktmpdir("gem-source-")
    Server.new(Catalog.new(folder || own), temporary: own, **options).start
  end

  # Like start, in a child process. Returns an object with #url, #pid, #requests (["GET /path", ...]) and #stop.
  def self.spawn(folder:, latency_ms: 0, bandwidth: 0)
    Child.new(folder: folder, latency_ms: latency_ms, bandwidth: bandwidth).start
  end
end

GemSource::Child.serve(ARGV) if $PROGRAM_NAME == __FILE__
