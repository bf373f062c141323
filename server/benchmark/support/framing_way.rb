# frozen_string_literal: true

require "rbconfig"
require_relative "contender"
require_relative "gem_peers"

# One way of making frames, as a process that serves a file; SIGURG starts and writes its profile.
class FramingWay < Contender
  FRAMING = File.expand_path("../framing", __dir__)
  SERVE = File.expand_path("../../exe/spate-serve", __dir__)

  attr_reader :key, :title, :times

  # times: downloads of one measurement.
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
  # Downloads under the profiler: a second of CPU time, about.
  def profiled = @times == 1 ? 1 : @times * 4
  def url = "http://127.0.0.1:#{@port}/#{"big.bin" if @key == "server"}"

  # The profile that is written next.
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
