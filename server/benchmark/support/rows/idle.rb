# frozen_string_literal: true

require_relative "../idle_connections"

# Measures the memory of 1,000 connections after the handshake. Excludes the kernel's memory and what the server used
# before.
class Idle < Row
  CONNECTIONS = 1000

  def title = "Memory of 1,000 idle connections, HTTP/2 in clear text"
  def cost_unit = "KB each"
  def reference = "nghttpd"
  def goal = Goal.new(cost: 30)
  def runs(wanted) = [wanted, 3].min
  def work = { kind: :files, protocol: "h2", tls: false }
  def contestants = [SpateServe, Nghttpd, H2o, Nginx].map(&:new)

  private

  # The first connection is not measured, because it loads code and fills pools that all connections share.
  def measure(contender)
    count = [(CONNECTIONS * @scale).round, 10].max
    connections = IdleConnections.new(contender.port, tls: workload.tls)
    connections.open(1)
    before = settled(contender)
    connections.open(count)
    Measured.new((settled(contender) - before) / count.to_f, nil)
  ensure
    connections&.close
  end

  # Returns the server's memory in kilobytes as soon as it no longer changes.
  def settled(contender)
    last = contender.group.memory
    20.times do
      sleep 0.1
      memory = contender.group.memory
      return memory if (memory - last).abs < 64

      last = memory
    end
    last
  end
end

class IdleTLS < Idle
  def key = "idle-tls"
  def title = "Memory of 1,000 idle connections over TLS"
  def goal = nil
  def work = { kind: :files, protocol: "h2", tls: true }
end
