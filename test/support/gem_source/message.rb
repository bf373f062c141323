# frozen_string_literal: true

module GemSource
  REASONS = { 200 => "OK", 206 => "Partial Content", 301 => "Moved Permanently", 302 => "Found", 304 => "Not Modified",
              307 => "Temporary Redirect", 401 => "Unauthorized", 403 => "Forbidden", 404 => "Not Found",
              416 => "Range Not Satisfiable", 429 => "Too Many Requests", 503 => "Service Unavailable" }.freeze
  private_constant :REASONS

  # A received request. headers: names in lower case. body: nil if there is none.
  Request = Struct.new(:verb, :path, :headers, :host, :body) do
    # "user:password" of basic authentication, or nil.
    def userinfo
      value = headers["authorization"] or return
      value.delete_prefix("Basic ").unpack1("m") if value.start_with?("Basic ")
    end

    def to_s = "#{verb} #{path}"
  end

  # body: a String, or a Hash { file: path } that is streamed.
  Response = Struct.new(:status, :headers, :body) do
    def self.text(status, body, headers = {}) = new(status, { "Content-Type" => "text/plain" }.merge(headers), body)

    def length = body.is_a?(Hash) ? File.size(body[:file]) : body.bytesize

    # The complete body in memory.
    def bytes = body.is_a?(Hash) ? File.binread(body[:file]) : body

    def head
      lines = ["HTTP/1.1 #{status} #{REASONS.fetch(status, "Status")}"]
      lines << "Content-Length: #{length}" unless headers.key?("Content-Length") || status == 304
      lines.concat(headers.map { |name, value| "#{name}: #{value}" })
      "#{lines.join("\r\n")}\r\n\r\n"
    end
  end
end
