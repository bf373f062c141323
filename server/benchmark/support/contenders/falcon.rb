# frozen_string_literal: true

require_relative "../gem_peers"

# One process. Files through Rack::Files.
class Falcon < Contender
  def version = GemPeers.version("falcon")

  def missing(workload)
    return "its TLS is Ruby's; it has no part in this row" if workload.tls
    return "its HTTP/2 is compared" unless workload.h2?

    GemPeers.missing
  end

  def command(workload, port)
    [GemPeers.environment, [RbConfig.ruby, "-S", "bundle", "exec", "falcon", "serve", "--count", "1",
                            "--bind", "http://127.0.0.1:#{port}", "--config", workload.rackup]]
  end
end
