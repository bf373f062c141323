# frozen_string_literal: true

module GemSource
  # A fault that the source simulates for matching paths. Kinds and their options:
  #
  #   :delay     until:                      responds when this Proc returns true
  #   :truncate  bytes: (default half)       Content-Length of the whole body, then closes the connection
  #   :reset     bytes: (default 0)          sends that many bytes of the body, then RST (0: before the status line)
  #   :stall     bytes: (default 0)          sends that many bytes of the body, then nothing until the client closes
  #   :endless                               no Content-Length, and bytes until the client closes
  #   :announce  length:                     this Content-Length, whatever the body is
  #   :corrupt   at: (default the middle)    changes one byte
  #   :html                                  200 with an HTML page, like a captive portal
  #   :status    code:, retry_after:, body:  401 sends WWW-Authenticate
  #   :redirect  to:, code: (302)            to: a URL, or a path of this source; "{path}" is replaced
  #   :gzip                                  Content-Encoding: gzip
  #   :garble                                another body (body:)
  #   :drop_headers names:                   leaves out response headers (["ETag", "Repr-Digest"])
  class Fault
    attr_reader :kind, :facts

    # times: how often the fault occurs (nil: always).
    def initialize(pattern, kind, times: nil, **facts)
      @pattern = pattern
      @kind = kind
      @left = times
      @facts = facts
      @mutex = Mutex.new
    end

    # Whether the fault applies to a request. Decrements the remaining times. pattern: String (the whole path) or
    # Regexp.
    def take?(request)
      return false unless @pattern === request.path # rubocop:disable Style/CaseEquality
      return true unless @left

      @mutex.synchronize do
        next false if @left.zero?

        @left -= 1
        true
      end
    end

    # Returns the changed response. :truncate, :reset, :stall and :endless are applied by Connection instead.
    def apply(request, response) = respond_to?(kind, true) ? send(kind, request, response) : response

    private

    def delay(_request, response)
      sleep 0.01 until facts.fetch(:until).call
      response
    end

    def corrupt(_request, response)
      bytes = response.bytes.b
      at = facts.fetch(:at, bytes.bytesize / 2)
      bytes.setbyte(at, bytes.getbyte(at) ^ 0xff)
      Response.new(response.status, response.headers, bytes)
    end

    def announce(_request, response)
      Response.new(200, response.headers.merge("Content-Length" => facts.fetch(:length).to_s), response.bytes)
    end

    def html(_request, _response)
      page = "<!DOCTYPE html>\n<html><head><title>Sign in to the network</title></head><body>Welcome</body></html>\n"
      Response.new(200, { "Content-Type" => "text/html" }, page)
    end

    def status(_request, _response)
      headers = {}
      headers["Retry-After"] = facts[:retry_after].to_s if facts[:retry_after]
      headers["WWW-Authenticate"] = "Basic realm=\"gems\"" if facts[:code] == 401
      Response.text(facts.fetch(:code), facts.fetch(:body, "status #{facts[:code]}\n"), headers)
    end

    def redirect(request, _response)
      Response.text(facts.fetch(:code, 302), "", "Location" => facts.fetch(:to).gsub("{path}", request.path))
    end

    def gzip(_request, response)
      require "zlib"
      Response.new(response.status, response.headers.merge("Content-Encoding" => "gzip"), Zlib.gzip(response.bytes))
    end

    def garble(_request, response) = Response.new(200, response.headers, facts.fetch(:body))

    def drop_headers(_request, response)
      Response.new(response.status, response.headers.except(*facts.fetch(:names)), response.body)
    end
  end
end
