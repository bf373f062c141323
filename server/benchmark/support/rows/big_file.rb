# frozen_string_literal: true

require "rbconfig"
require_relative "../clients"

# The minimum cost of a download, measured by the C program floor/loopback.c.
module Floor
  SOURCE = File.expand_path("../../floor/loopback.c", __dir__)

  module_function

  # Measures the sender's CPU seconds per GB, and GB/s. kind: "tcp", or "frames" with the content of big.bin.
  def measure(folder, kind, megabytes)
    cost, rate = Clients.run(program(folder), kind, File.join(folder, "files", "big.bin"), megabytes.to_s).split
    Row::Measured.new(Float(cost), Float(rate))
  end

  def program(folder)
    File.join(folder, "loopback").tap do |path|
      Clients.run(RbConfig::CONFIG["CC"].split.first, "-O2", "-o", path, SOURCE) unless File.exist?(path)
    end
  end
end

# Downloads 256 MB four times, one after another. The unit is GB.
class BigFile < Row
  MEGABYTES = 256
  TIMES = 4

  def title = "A file of 256 MB, HTTP/2 in clear text"
  def cost_unit = "CPU s/GB"
  def rate_unit = "GB/s"
  def reference = "nghttpd"
  def goal = Goal.new(cost_ratio: 1.3, rate_ratio: 0.8)
  def work = { kind: :files, protocol: "h2", tls: false }
  def contestants = [SpateServe, Nghttpd, H2o, Nginx, Falcon].map(&:new)

  def floors
    size = times * MEGABYTES
    [["loopback TCP alone, 16 KiB writes", -> { Floor.measure(@folder, "tcp", size) }],
     ["a loop in C: frames of 16 KiB of the file", -> { Floor.measure(@folder, "frames", size) }]]
  end

  private

  def times = [(TIMES * @scale).round, 1].max

  def measure(contender)
    path = File.join(workload.files, "big.bin")
    size = File.size(path)
    Clients.download(url(contender, "/small.txt"), workload, File.size(File.join(workload.files, "small.txt")))
    Clients.download(url(contender, "/big.bin"), workload, size) if @scale >= 1
    cost(contender, times * size / (1 << 30).to_f) do
      times.times { Clients.download(url(contender, "/big.bin"), workload, size) }
    end
  end
end

class BigFileTLS < BigFile
  def key = "big-file-tls"
  def title = "A file of 256 MB, HTTP/2 over TLS"
  def goal = Goal.new(cost_ratio: 1.15, rate_ratio: 0.9)
  def work = { kind: :files, protocol: "h2", tls: true }
  def contestants = [SpateServe, Nghttpd, H2o, Nginx].map(&:new)
  def floors = []
end

# Downloads over HTTP/1.1 in clear text, for which puma uses sendfile.
class BigFileHTTP1 < BigFile
  def key = "big-file-http1"
  def title = "A file of 256 MB, HTTP/1.1 in clear text"
  def reference = "puma"
  def goal = nil
  def work = { kind: :files, protocol: "http/1.1", tls: false }
  def contestants = [SpateServe, H2o, Nginx, Puma].map(&:new)
  def floors = []
end
