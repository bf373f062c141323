# frozen_string_literal: true

require "rbconfig"
require_relative "contender"
require_relative "gem_peers"

# A process that serves a file with one implementation of framing. The first SIGURG starts a profile, the second one
# writes it.
class FramingWay < Contender
  FRAMING = File.expand_path("../framing", __dir__)
  SERVE = File.expand_path("../../exe/spate-serve", __dir__)

  attr_reader :key, :title, :times

  # times: downloads per measurement.
  def self.all
    [new("arrays", "Arrays of bytes, unpack and pack", 1), new("views", "ArrayBuffer and DataView, in Ruby", 6),
     new("server", "spate-serve", 24)]
  end

  def initialize(key, title, times)
    super()
    @key = key
    @title = title
    @times = times
  end

  def name = @key
  # Number of downloads under the profiler, for about one second of CPU time.
  def profiled = @times == 1 ? 1 : @times * 4
  def url = "http://127.0.0.1:#{@port}/#{"big.bin" if @key == "server"}"

  # Path of the profile that is written next.
  def profile(workload) = File.join(workload.folder, "#{@key}-#{@group.pid}-1.json")

  def command(workload, port)
    profile = File.join(workload.folder, "#{@key}.json")
    words = [File.join(FRAMING, "#{@key}.rb"), port.to_s, File.join(workload.files, "big.bin"), profile]
    words = [SERVE, workload.files, "--port", port.to_s, *profiling(profile)] if @key == "server"
    [GemPeers.stackprof, [RbConfig.ruby, *words]]
  end

  def signal = Process.kill(:URG, @group.pid)

  private

  def profiling(path) = ["--profile-on-signal", path, "--profiler", "stackprof"]
end
