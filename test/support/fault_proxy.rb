# frozen_string_literal: true

require "net/http"
require_relative "gem_source"

# A proxy in front of a real server that simulates faults, latency and bandwidth, with the options of GemSource.
#
#   proxy = FaultProxy.new("http://127.0.0.1:8080").start
#   proxy.fault(%r{/cas/}, :truncate, times: 1)
#   proxy.url, proxy.requests, proxy.stop
class FaultProxy < GemSource::Server
  # Returns the server's response unchanged.
  class Upstream
    OWN = %w[connection keep-alive transfer-encoding content-length].freeze

    def initialize(address)
      @uri = URI(address)
    end

    def answer(request)
      Net::HTTP.start(@uri.host, @uri.port, nil) do |http|
        http.max_retries = 0
        answer = http.request(forwarded(request))
        GemSource::Response.new(answer.code.to_i, headers(answer, request), answer.body.to_s)
      end
    end

    private

    def forwarded(request)
      headers = request.headers.except("connection", "expect")
      Net::HTTPGenericRequest.new(request.verb, !request.body.nil?, request.verb != "HEAD", request.path, headers)
                             .tap { |forwarded| forwarded.body = request.body if request.body }
    end

    # The length in a response to HEAD is not that of the response's body.
    def headers(answer, request)
      kept = answer.each_capitalized.to_a.reject { |name, _| OWN.include?(name.downcase) }.to_h
      kept["Content-Length"] = answer["Content-Length"] if request.verb == "HEAD" && answer["Content-Length"]
      kept
    end
  end

  def initialize(address, **options)
    super(nil, **options)
    @pages = Upstream.new(address)
  end
end
