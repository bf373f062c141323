# frozen_string_literal: true

require_relative "cache_contender"
require_relative "spate_serve"

# This project's server, with a folder of its own each time.
class SpateCache < CacheContender
  def name = "spate-serve"
  def options = []

  def command(workload, port)
    [{}, [*SpateServe::COMMAND, *options, "--cache", store(workload, port), "--cache-open", "--port", port.to_s]]
  end
end

# With Ruby's compiler.
class SpateCacheYJIT < SpateCache
  def name = "spate-serve --yjit"
  def options = ["--yjit"]
  def missing(_workload) = defined?(RubyVM::YJIT) ? nil : "this Ruby has no YJIT"
end
