# frozen_string_literal: true

require_relative "../transport_case"

# Random responses that are almost valid. Each must result in a value, nil or Unavailable, and never in more bytes than
# allowed, another error, or an endless wait.
class RemoteCacheHostileTest < Minitest::Test
  include TransportCase

  LIMIT = 2_000
  NAME = "cas/#{"a" * 64}".freeze
  ENTRY = "<Contents><Key>x/#{NAME}</Key><LastModified>2026-11-01T02:03:04.000Z</LastModified><Size>7</Size></Contents>"
          .freeze
  LIST = "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>#{ENTRY}" \
         "</ListBucketResult>".freeze
  BODIES = ["", "bytes", "b" * 1_999, LIST, "<Error><Code>NoSuchKey</Code></Error>", "<!doctype html><title>x</title>",
            "\x1f\x8b\x08\x00\x00\x00\x00\x00".b, "5\r\nhello\r\n0\r\n\r\n"].freeze
  HEADERS = ["Content-Type: text/html", "Content-Encoding: gzip", "Content-Encoding: deflate", "Connection: close",
             "Transfer-Encoding: chunked", "Location: http://127.0.0.1:1/x", "Location: //", "Location: \xff",
             "x-amz-bucket-region: r2", "x-amz-bucket-region: ../", "Content-Length: -1", "Content-Length: 1e9",
             "Content-Length: 99999999999999999999", "Content-Range: bytes 1-2/3", "Keep-Alive: timeout=x"].freeze
  STATUSES = [100, 103, *[200] * 8, 204, 206, 301, 302, 304, 307, 400, 401, 403, 404, 407, 410, 416, 500, 503,
              999].freeze
  ROUNDS = 80

  def setup
    @random = Random.new(Spate.test_seed)
    @listener = TCPServer.new("127.0.0.1", 0)
    @conversations = []
    @server = Thread.new do
      loop { @conversations << Thread.new(@listener.accept) { |client| converse(client) } }
    end
  end

  def teardown
    [@server, *@conversations].each { |thread| thread.kill.join }
    @listener.close
    super
  end

  def test_random_responses
    base = "http://127.0.0.1:#{@listener.addr[1]}"
    caches = ["#{base}/x", "s3://acme/x?endpoint=#{base}"].map { |address| transport(address, connect: 1, read: 0.2) }
    outcomes = Array.new(ROUNDS) { caches.map { |cache| try(cache) } }.flatten.tally

    assert_operator outcomes.values_at(:bytes, :size, :nothing, :written).compact.sum, :>, 5
    assert_operator outcomes.keys.grep(String).size, :>, 10, "several reasons"
  end

  private

  # Sends a random request. Returns a Symbol, or the message of an Unavailable.
  def try(cache)
    case @random.rand(5)
    when 0 then cache.head(NAME) ? :size : :nothing
    when 1 then cache.put(NAME, "bytes") && :written
    when 2 then cache.each("cas/").first(3) && :listed
    else
      bytes = cache.get(NAME, limit: LIMIT)
      assert_operator bytes.bytesize, :<=, LIMIT if bytes
      bytes ? :bytes : :nothing
    end
  rescue Unavailable => e
    refute_match(/[[:cntrl:]]/, e.message)
    e.message
  rescue RemoteCache::Unsupported
    :unsupported
  end

  def converse(client)
    while client.gets("\r\n\r\n")
      client.write(answer)
      break if @random.rand(3).zero?
    end
  rescue SystemCallError
    nil # the client closed the connection
  ensure
    client.close
  end

  def answer
    body = BODIES.sample(random: @random)
    headers = HEADERS.sample(@random.rand(3), random: @random)
    headers << "Content-Length: #{body.bytesize}" if @random.rand(4).positive?
    text = "HTTP/1.1 #{STATUSES.sample(random: @random)} Said\r\n#{headers.join("\r\n")}\r\n\r\n".b + body.b
    @random.rand(4).zero? ? damage(text) : text
  end

  # Changes one byte, or truncates the response.
  def damage(text)
    at = @random.rand(text.bytesize)
    return text.byteslice(0, at) if @random.rand(2).zero?

    text.dup.tap { |damaged| damaged.setbyte(at, @random.rand(256)) }
  end
end
