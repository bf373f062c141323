# frozen_string_literal: true

# Uploads 1 GB to an application that counts the bytes while they arrive (--limit-body-buffer 0). The reference is the
# cost of a download of the same size from nghttpd.
class Upload < Row
  MEGABYTES = 1024

  # The reference: a download from nghttpd.
  class Download < Nghttpd
    def name = "nghttpd, a download"
    def missing(workload) = super(self.class.of(workload))
    def command(workload, port) = super(self.class.of(workload), port)
    def self.of(workload) = Workload.new(kind: :files, protocol: "h2", tls: false, folder: workload.folder)
  end

  def title = "An upload of 1 GB, HTTP/2 in clear text"
  def cost_unit = "CPU s/GB"
  def rate_unit = "GB/s"
  def reference = "nghttpd, a download"
  def goal = Goal.new(cost_ratio: 1.5)
  def runs(wanted) = [wanted, 3].min
  def work = { kind: :upload, protocol: "h2", tls: false }
  def contestants = [SpateHandler, SpateServe, Download].map(&:new)

  private

  def measure(contender)
    return measure_download(contender) if contender.is_a?(Download)

    path = File.join(@folder, "upload.bin")
    Clients.upload(url(contender, "/"), workload, File.join(@folder, "files", "small.txt"))
    cost(contender, File.size(path) / (1 << 30).to_f) { Clients.upload(url(contender, "/"), workload, path) }
  end

  def measure_download(contender)
    size = File.size(File.join(workload.files, "big.bin"))
    times = [4 * @scale, 1].max.round
    Clients.download(url(contender, "/big.bin"), workload, size)
    cost(contender, times * size / (1 << 30).to_f) do
      times.times { Clients.download(url(contender, "/big.bin"), workload, size) }
    end
  end
end
