# frozen_string_literal: true

require_relative "../gem_peers"

# falcon with one process. Serves files through Rack::Files.
class Falcon < Contender
  def version = GemPeers.version("falcon")

  def missing(workload)
    return "only its HTTP/2 in clear text is compared" if workload.tls || !workload.h2?

    GemPeers.missing
  end

  def command(workload, port)
    [GemPeers.environment, [RbConfig.ruby, "-S", "bundle", "exec", "falcon", "serve", "--count", "1",
                            "--bind", "http://127.0.0.1:#{port}", "--config", workload.rackup]]
  end
end

# puma with one process and five threads, the default. Serves files through Rack::Files.
class Puma < Contender
  def version = GemPeers.version("puma")

  def missing(workload)
    return "it supports HTTP/1.1 only" if workload.h2?
    return "only its clear text is compared" if workload.tls

    GemPeers.missing
  end

  def command(workload, port)
    [GemPeers.environment, [RbConfig.ruby, "-S", "bundle", "exec", "puma", "--quiet", "--threads", "5:5",
                            "--workers", "0", "--bind", "tcp://127.0.0.1:#{port}", workload.rackup]]
  end
end
