# frozen_string_literal: true

# Counts the instructions for parsing requests. http1/parsing_cost_test.rb runs it under callgrind, which starts
# counting at a call of Process.getsid and writes the count to a file at a call of Process.ppid. Both calls are slow
# if much code was instrumented, so instrumentation is off while the program loads.
#
#     counted_parsing.rb FOLDER OUT MOST     FOLDER: of a site; OUT: callgrind's output; MOST: bytes of a text
#
# Prints a line of JSON for each text whose cost grows faster than its length, and last the number of texts.

$LOAD_PATH.unshift File.expand_path("../../../lib", __dir__), File.expand_path("../../../../bytes/lib", __dir__)
require "json"
require "spate/bytes"
require "spate/server"

include Spate # rubocop:disable Style/MixinUsage -- a program
include Spate::Server # rubocop:disable Style/MixinUsage

# The compared sizes, and the factor by which the cost may grow faster than the size.
SIZES = [1024, Integer(ARGV[2])].freeze
MOST = 1.5

# Counts instructions by means of callgrind.
class Counter
  def initialize(out)
    @out = out
    @files = 0
  end

  # Waits in a busy loop, because valgrind processes commands only between instructions. Within a system call it would
  # need ptrace.
  def start
    pid = Process.spawn("callgrind_control", "-i", "on", Process.pid.to_s, %i[out err] => File::NULL)
    nil until Process.wait(pid, Process::WNOHANG)
  end

  # Returns the number of instructions that the block executes.
  def count
    Process.getsid
    yield
    Process.ppid
    path = "#{@out}.#{@files += 1}"
    File.read(path)[/^totals: (\d+)/, 1].to_i
  ensure
    File.delete(path)
  end
end

# A connection that logs responses, like a real one.
class Peer < Spate::Server::Connection::Null
  attr_reader :limits

  def initialize(log, limits)
    super()
    @log = log
    @limits = limits
  end

  def scheme = "http"
  def peer = "127.0.0.1"
  def answered(request, status, bytes, seconds) = @log.answered(self, request, status, bytes, seconds)
end

# Runs jobs of the thread pool in this thread, so that their cost is counted and waiting is not.
Files::ThreadPool.define_method(:post) { |&job| tap { perform(job) } }

# Runs both handlers that parse client input on one request.
class Reader
  def initialize(folder)
    @files = Files.new(folder)
    @environment = Rack::Environment.new(errors: nil)
  end

  def call(request)
    @environment.of(request, Rack::Callbacks.new)
    request.body&.discard
    @files.call(request)
  end
end

# Requests with a placeholder for a text: as bytes for HTTP/1.1, and as fields for HTTP/2.
module Texts
  GET = "GET /a.txt HTTP/1.1\r\nhost: x\r\n"
  CHUNKED = "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
  # LISTED: fields that listings use. FIELDS: fields that files or all requests use.
  LISTED = %w[accept accept-encoding].freeze
  FIELDS = %w[if-match if-modified-since if-none-match if-range if-unmodified-since range connection content-length
              transfer-encoding expect content-type cookie te referer user-agent x-other].freeze

  # Characters that separate values in any part of a request.
  SEPARATORS = [" ", "\t", ",", ";", "=", "\"", "%2e", "/", ":", "-"].freeze
  # Line ends and control characters.
  STRANGE = ["\r", "\n", "\r\n", "\0", "\x01"].freeze

  HTTP1 = { # rubocop:disable Style/MutableConstant -- more below
    "a method" => ->(text) { "#{text} / HTTP/1.1\r\nhost: x\r\n\r\n" },
    "a target" => ->(text) { "GET /#{text} HTTP/1.1\r\nhost: x\r\n\r\n" },
    "a target's query" => ->(text) { "GET /?format=#{text} HTTP/1.1\r\nhost: x\r\n\r\n" },
    "an absolute target" => ->(text) { "GET http://#{text} HTTP/1.1\r\nhost: x\r\n\r\n" },
    "a version" => ->(text) { "GET / HTTP/1.1#{text}\r\nhost: x\r\n\r\n" },
    "a field's name" => ->(text) { "#{GET}#{text}: x\r\n\r\n" },
    "a line" => ->(text) { "#{GET}#{text}\r\n\r\n" },
    "a value with a control character" => ->(text) { "#{GET}x: #{text}\x01\r\n\r\n" },
    "lines before a request" => ->(text) { "#{text}#{GET}\r\n" },
    "a chunk's size" => ->(text) { "#{CHUNKED}1#{text}\r\na\r\n0\r\n\r\n" },
    "chunks' extensions" => ->(text) { "#{CHUNKED}#{"1;#{text[0, 200]}\r\na\r\n" * (text.bytesize / 200)}0\r\n\r\n" },
    "a trailer" => ->(text) { "#{CHUNKED}0\r\nx: #{text}\r\n\r\n" },
    "trailers that do not end" => ->(text) { "#{CHUNKED}0\r\nx: #{text}" },
    "a head that does not end" => ->(text) { "#{GET}x: #{text}" }
  }
  LISTED.each { |name| HTTP1[name] = ->(text) { "GET / HTTP/1.1\r\nhost: x\r\n#{name}: #{text}\r\n\r\n" } }
  FIELDS.each { |name| HTTP1[name] = ->(text) { "#{GET}#{name}: #{text}\r\n\r\n" } }
  HTTP1["host"] = ->(text) { "GET / HTTP/1.1\r\nhost: #{text}\r\n\r\n" }

  PSEUDO = { ":method" => "GET", ":scheme" => "http", ":path" => "/a.txt", ":authority" => "x" }.freeze
  HTTP2 = {
    "a target" => ->(text) { PSEUDO.merge(":path" => "/#{text}") },
    "a field's name" => ->(text) { PSEUDO.merge(text => "x") },
    **%w[:method :scheme :authority x priority content-length].to_h do |name|
      [name, ->(text) { PSEUDO.merge(name => text) }]
    end
  }.freeze

  # Returns input that provokes backtracking: many separators before another character, and many in a row.
  def self.of(separator, size)
    much = separator * (size * 2 / 3 / separator.bytesize)
    "a#{much}b#{"#{separator}c" * (size / 3 / (separator.bytesize + 1))}#{separator}".b
  end
end

# Passes texts to the protocols.
class Meter
  def initialize(folder, counter)
    @counter = counter
    @limits = Limits.new(header_bytes: 1 << 20, header_block: 1 << 20)
    @reader = Reader.new(folder)
    @peer = Peer.new(Monitoring::AccessLog.new(File::NULL), @limits)
    @pool = []
    @view = DataView.new(@buffer = ArrayBuffer.new(1 << 20))
  end

  # Returns the number of instructions that HTTP/1.1 executes for these bytes.
  def http1(bytes) = cost(HTTP1::Protocol, bytes)

  # Returns the number of instructions that HTTP/2 executes for a request with these fields.
  def http2(fields)
    block = Native::HpackEncoder.new(4096).encode(fields.flatten, :plain)
    parts = block.scan(/.{1,16384}/mn)
    frames = parts.map.with_index do |part, index|
      last = part.equal?(parts.last) ? 4 : 0
      type, flags = index.zero? ? [1, 1 | last] : [9, last]
      [part.bytesize >> 16, part.bytesize & 0xffff, type, flags, 1].pack("CnCCN") + part
    end
    cost(HTTP2::Protocol, "#{HTTP2::PREFACE}\0\0\0\4\0\0\0\0\0".b + frames.join)
  end

  private

  def cost(kind, bytes)
    protocol = kind.new(write_buffer = Native::WriteBuffer.new(@pool), @reader, @limits, connection: @peer)
    @view.set_bytes(0, bytes)
    count = @counter.count { feed(protocol, bytes.bytesize) }
    protocol.close
    write_buffer.clear
    count
  end

  def feed(protocol, size)
    from = 0
    while from < size && (taken = protocol.receive(@buffer, from, size)) > from
      from = taken
    end
    protocol.produce
  end
end

folder, out, = ARGV
GC.disable
$stdout.sync = true
counter = Counter.new(out)
meter = Meter.new(folder, counter)
counter.start
texts = 0

{ http1: Texts::HTTP1, http2: Texts::HTTP2 }.each do |version, places|
  places.each do |place, made|
    separators = place.match?(/\Aa/) ? Texts::SEPARATORS + Texts::STRANGE : Texts::SEPARATORS.first(6)
    meter.public_send(version, made.call("a" * 512)) # the first request loads code
    separators.each do |separator|
      texts += 1
      short, long = costs = SIZES.map { |size| meter.public_send(version, made.call(Texts.of(separator, size))) }
      next if long < short * MOST * SIZES.last / SIZES.first

      puts JSON.generate(version: version, place: place, separator: separator.dump, instructions: costs)
    end
  end
end
puts JSON.generate(texts: texts)
