# frozen_string_literal: true

require "rbconfig"
require_relative "contender"

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
  def profile(workload) = File.join(workload.folder, "#{@key}-#{@group.pid}-1.dump")

  def command(workload, port)
    dump = File.join(workload.folder, "#{@key}.dump")
    return [{}, [RbConfig.ruby, SERVE, workload.files, "--port", port.to_s, *profiling(dump)]] if @key == "server"

    [{}, [RbConfig.ruby, File.join(FRAMING, "#{@key}.rb"), port.to_s, File.join(workload.files, "big.bin"), dump]]
  end

  def signal = Process.kill(:URG, @group.pid)

  private

  def profiling(dump) = ["--profile-on-signal", dump, "--profiler", "own"]
end
