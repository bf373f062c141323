# frozen_string_literal: true

require "test_helper"
require "socket"

# An endless response is aborted, whatever part of it does not end.
class SessionTest < Minitest::Test
  HTTP = Spate::HTTP
  Registry = Spate::Registry
  OK = "HTTP/1.1 200 OK\r\n"

  Remote = Struct.new(:address) do
    def locate(path) = URI("#{address}#{path}")
    def authorization = nil
    def identity = nil
    def mirror? = false
  end

  def setup
    @server = TCPServer.new("127.0.0.1", 0)
    @connections = HTTP::Connections.new(proxy: HTTP::Proxy.new(env: {}), certificates: nil, timeout: 0.4)
    @http = HTTP::Client.new(@connections, redirects: 1, agent: "test")
  end

  def teardown
    @connections.close
    @thread&.kill
    @server.close
  end

  def test_lines_without_end
    endless = "a" * 50_000
    { "headers" => [OK, "X: #{endless}\r\n"], "one header" => ["#{OK}X: ", endless], "a status" => ["", endless],
      "answers before the answer" => ["", "HTTP/1.1 103 Early\r\nX: #{endless}\r\n\r\n"],
      "a chunk's length" => ["#{OK}Transfer-Encoding: chunked\r\n\r\n", "0" * 50_000],
      "what follows the chunks" => ["#{OK}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n", "X: #{endless}\r\n"] }
      .each do |what, (first, again)|
        serve(first, again)
        error = assert_raises(Spate::HTTP::Endless, what) { get }

        assert_match(%r{\Ahttp://127.0.0.1:\d+/x sends more than 262144 bytes of headers, expected}, error.message)
      end
  end

  # Net::HTTP raises an ArgumentError for this header.
  def test_line_with_a_carriage_return
    serve("#{OK}X: a\rb\r\nContent-Length: 1\r\n\r\nb")
    error = assert_raises(Spate::HTTP::Unreachable) { get }

    assert_match(/a carriage return inside of a line/, error.message)
    serve("#{OK}X: a\r\r\nContent-Length: 1\r\n\r\nb")
    assert_equal "b", get
  end

  def test_one_byte_now_and_then
    { "a body" => "#{OK}Content-Length: 9999\r\n\r\n", "a header" => "#{OK}X: " }.each do |what, first|
      serve(first, "a", pause: 0.1)
      error = assert_raises(Spate::HTTP::TooSlow, what) { get }

      assert_match(%r{/x sent \d\d? bytes in 1 seconds, expected 80 at least\z}, error.message)
      assert_kind_of Spate::Util::Retriable, error
    end
  end

  # The limit applies at any speed if the caller has an alternative.
  def test_response_that_takes_too_long
    pace = HTTP::Meter::Pace.new(1, 0.5)
    @connections = HTTP::Connections.new(proxy: HTTP::Proxy.new(env: {}), certificates: nil, timeout: 0.4, pace: pace)
    @http = HTTP::Client.new(@connections, redirects: 1, agent: "test")
    serve("#{OK}Content-Length: 9999\r\n\r\n", "a" * 100, pause: 0.1)

    assert_match(%r{/x was not complete after 0.5 seconds\z}, assert_raises(Spate::HTTP::TooSlow) { get }.message)
  end

  # The proxy's response to CONNECT comes before any response of the server.
  def test_a_proxy_that_never_ends
    @connections = proxied
    @http = HTTP::Client.new(@connections, redirects: 1, agent: "test")
    { "headers" => [OK, "X: #{"a" * 50_000}\r\n"], "a status" => ["", "a" * 50_000],
      "a page" => ["HTTP/1.1 403 No\r\n", "X: #{"a" * 50_000}\r\n"] }.each do |what, (first, again)|
      serve(first, again)
      error = assert_raises(Spate::HTTP::Endless, what) { get("https://gems.test") }

      assert_match(%r{\Ahttps://gems.test/x sends more than 262144 bytes of headers, expected}, error.message)
    end
    serve("#{OK}X: ", "a", pause: 0.1)
    assert_match(/sent \d\d? bytes in 1 seconds/, assert_raises(Spate::HTTP::TooSlow) do
                                                    get("https://gems.test")
                                                  end.message)
    serve("HTTP/1.1 407 Who\r\n\r\n")
    assert_match(/407/, assert_raises(Spate::HTTP::Unreachable) { get("https://gems.test") }.message)
  end

  # Limits for lines and waiting must not end a long response: it may have a line per chunk.
  def test_long_response_that_ends
    chunks = "#{OK}Transfer-Encoding: chunked\r\n\r\n#{"1\r\na\r\n" * 100_000}0\r\n\r\n"
    serve(chunks)
    assert_equal "a" * 100_000, get
    serve("#{OK}X: #{"a" * 200_000}\r\nContent-Length: 1\r\n\r\nb", answers: 4, think: 0.3)
    4.times { assert_equal "b", get }
  end

  private

  def get(address = "http://127.0.0.1:#{@server.addr[1]}") = @http.get(Remote.new(address), "/x", &:body)

  def proxied
    none = Object.new
    def none.[](_name) = nil
    certificates = HTTP::Certificates.new(settings: none, gemrc: none, env: {})
    proxy = HTTP::Proxy.new(env: { "https_proxy" => "http://127.0.0.1:#{@server.addr[1]}" })
    HTTP::Connections.new(proxy: proxy, certificates: certificates, timeout: 0.4)
  end

  # Sends `first` for each request, then repeats `again` without end.
  def serve(first, again = nil, pause: 0, answers: 1, think: 0)
    @thread&.kill
    @thread = Thread.new do
      client = @server.accept
      answers.times do
        client.gets("\r\n\r\n")
        sleep think
        client << first
      end
      while again
        client << again
        sleep pause
      end
    rescue SystemCallError, IOError
      nil
    ensure
      client&.close
    end
  end
end
