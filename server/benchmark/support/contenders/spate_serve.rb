# frozen_string_literal: true

require "rbconfig"
require_relative "../gem_peers"

# This project's server, in one process.
class SpateServe < Contender
  COMMAND = [RbConfig.ruby, File.expand_path("../../../exe/spate-serve", __dir__)].freeze

  def name = "spate-serve"

  # What the command has no option for is not wired.
  def missing(workload)
    return "spate-serve has no --tls" if workload.tls && !option?("--tls")
    return if workload.kind == :files

    option?("--rack") ? GemPeers.missing : "spate-serve has no --rack"
  end

  def command(workload, port)
    words = [*COMMAND]
    words += workload.kind == :files ? [workload.files] : ["--rack", workload.rackup]
    words += ["--limit-gathered", "0"] if workload.kind == :upload # what comes is counted as it comes
    words += ["--cert", workload.certificate, "--key", workload.key] if workload.tls
    [workload.kind == :files ? {} : GemPeers.gem_path, words + ["--port", port.to_s]]
  end

  private

  def option?(name) = (@help ||= output(*COMMAND, "--help")).match?(/^\s+#{name}\b/)
end
