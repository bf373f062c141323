# frozen_string_literal: true

# Requests a file of 600 bytes over 10 connections with 10 streams each. The unit is 100,000 requests.
class SmallFiles < Row
  COUNT = 20_000

  def title = "Small static files, HTTP/2"
  def cost_unit = "CPU s per 100,000"
  def rate_unit = "100,000 requests/s"
  def reference = "nghttpd"
  def goal = Goal.new(cost: 1.5, aim: 0.8)
  def path = "/small.txt"
  def work = { kind: :files, protocol: "h2", tls: false }
  def contestants = [SpateServe, SpateYJIT, Nghttpd, H2o, Nginx, Falcon].map(&:new)

  private

  def count = [(COUNT * @scale).round, 100].max

  def measure(contender)
    Clients.requests(url(contender, path), workload, [count / 10, 100].max)
    cost(contender, count / 100_000.0) { Clients.requests(url(contender, path), workload, count) }
  end
end

class SmallFilesHTTP1 < SmallFiles
  def key = "small-files-http1"
  def title = "Small static files, HTTP/1.1"
  def reference = "puma"
  def goal = nil
  def work = { kind: :files, protocol: "http/1.1", tls: false }
  def contestants = [SpateServe, SpateYJIT, H2o, Nginx, Puma].map(&:new)
end

class RackHello < SmallFiles
  COUNT = 10_000

  def title = "A Rack application that says hello, HTTP/2"
  def reference = "falcon"
  def goal = Goal.new(cost: 4)
  def path = "/"
  def work = { kind: :hello, protocol: "h2", tls: false }
  def contestants = [SpateServe, SpateYJIT, Falcon].map(&:new)

  private

  def count = [(COUNT * @scale).round, 100].max
end

class RackHelloHTTP1 < RackHello
  def key = "rack-hello-http1"
  def title = "A Rack application that says hello, HTTP/1.1"
  def reference = "puma"
  def goal = nil
  def work = { kind: :hello, protocol: "http/1.1", tls: false }
  def contestants = [SpateServe, SpateYJIT, Puma].map(&:new)
end
