# frozen_string_literal: true

require "rbconfig"
require_relative "../gem_peers"

# This project's server, in one process.
class SpateServe < Contender
  COMMAND = [RbConfig.ruby, File.expand_path("../../../exe/spate-serve", __dir__)].freeze

  def name = "spate-serve"

  # Skips workloads for which this version of the command has no option.
  def missing(workload)
    return "spate-serve has no --tls" if workload.tls && !option?("--tls")
    return if workload.kind == :files

    option?("--rack") ? GemPeers.missing : "spate-serve has no --rack"
  end

  def command(workload, port)
    words = [*COMMAND]
    words += workload.kind == :files ? [workload.files] : ["--rack", workload.rackup]
    words += ["--limit-body-buffer", "0"] if workload.kind == :upload # pass each part to the application immediately
    words += ["--cert", workload.certificate, "--key", workload.key] if workload.tls
    [workload.kind == :files ? {} : GemPeers.gem_path, words + ["--port", port.to_s]]
  end

  private

  def option?(name) = (@help ||= output(*COMMAND, "--help")).match?(/^\s+#{name}\b/)
end

# This project's server with YJIT, which Ruby 3.1 and 3.2 start only with --yjit.
class SpateYJIT < SpateServe
  def name = "spate-serve --yjit"

  def missing(workload) = defined?(RubyVM::YJIT) ? super : "this Ruby has no YJIT"

  def command(workload, port)
    environment, words = super
    [environment, [*words, "--yjit"]]
  end
end

# This project's server without Rack, with a handler that counts the bytes of a body: ../upload_server.rb.
class SpateHandler < Contender
  PROGRAM = File.expand_path("../upload_server.rb", __dir__)

  def name = "spate-server, a handler"

  def command(_workload, port) = [{}, [RbConfig.ruby, PROGRAM, port.to_s]]
end
