# frozen_string_literal: true

# Makes one measurement in a separate process: LIBRARY WAY CORPUS THREADS. Prints seconds of wall time and of CPU time,
# the number of plain bytes, the number of bytes produced, and objects per piece. Fails if a result is wrong.

library, way, path, threads = ARGV
threads = Integer(threads)
require "zlib"
if library == "spate"
  require "spate/zlib"
  raise "stock" if Spate::Zlib.equal?(Zlib)
end
LIBRARY = library == "spate" ? Spate::Zlib : Zlib
DEFLATES = way.start_with?("deflate")
CHUNK = 64 * 1024

# The input pieces, and the expected output of each.
class Pieces
  attr_reader :inputs

  def initialize(path, deflates)
    @file = File.open(path, "rb")
    count = @file.read(8).unpack1("Q")
    @deflated = @file.read(8 * count).unpack("Q*")
    @plain = @file.read(8 * count).unpack("Q*")
    start = @file.pos
    @plain_start = start + @deflated.sum
    lengths = deflates ? @plain : @deflated
    @file.seek(deflates ? @plain_start : start)
    @inputs = lengths.map { |length| @file.read(length) }
  end

  def plain_bytes = @plain.sum

  def plain(index)
    @file.seek(@plain_start + @plain.take(index).sum)
    @file.read(@plain[index])
  end
end

WAYS = {
  "inflate" => ->(input) { LIBRARY.inflate(input) },
  "deflate" => ->(input) { LIBRARY.deflate(input, 6) },
  "inflate-stream" => lambda do |input|
    stream = LIBRARY::Inflate.new
    length = at = 0
    while at < input.bytesize
      length += stream.inflate(input.byteslice(at, CHUNK)).bytesize
      at += CHUNK
    end
    stream.close
    length
  end,
  "deflate-stream" => lambda do |input|
    stream = LIBRARY::Deflate.new(6)
    length = at = 0
    while at < input.bytesize
      length += stream.deflate(input.byteslice(at, CHUNK)).bytesize
      at += CHUNK
    end
    length += stream.finish.bytesize
    stream.close
    length
  end
}.freeze

def size(result) = result.is_a?(Integer) ? result : result.bytesize

def each_alone(inputs, threads, call)
  share = lambda do |first|
    total = 0
    index = first
    while index < inputs.size
      total += size(call.call(inputs[index]))
      index += threads
    end
    total
  end
  threads == 1 ? share.call(0) : Array.new(threads) { |first| Thread.new { share.call(first) } }.sum(&:value)
end

def together(way, inputs, threads)
  case way
  when "inflate-all" then @results = LIBRARY.inflate_all(inputs, threads: threads)
  when "deflate-all" then @results = LIBRARY.deflate_all(inputs, level: 6, threads: threads)
  when "inflate-each"
    total = 0
    LIBRARY.each_inflated(inputs, threads: threads) { |text, _| total += text.bytesize }
    return total
  end
  @results.sum(&:bytesize)
end

def check(pieces, index)
  input = pieces.inputs[index]
  alone = WAYS.fetch(DEFLATES ? "deflate" : "inflate")
  result = @results ? @results[index] : alone.call(input)
  plain = DEFLATES ? Zlib.inflate(result) : result
  raise "piece #{index} is wrong" unless plain == pieces.plain(index)
end

pieces = Pieces.new(path, DEFLATES)
inputs = pieces.inputs
(WAYS[way] || WAYS.fetch(DEFLATES ? "deflate" : "inflate")).call(inputs.last) if inputs.size > 8 # warms up
GC.start
objects = GC.stat(:total_allocated_objects)
cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
wall = Process.clock_gettime(Process::CLOCK_MONOTONIC)
made = WAYS.key?(way) ? each_alone(inputs, threads, WAYS[way]) : together(way, inputs, threads)
wall = Process.clock_gettime(Process::CLOCK_MONOTONIC) - wall
cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - cpu
objects = GC.stat(:total_allocated_objects) - objects
raise "#{made} bytes instead of #{pieces.plain_bytes}" if !DEFLATES && made != pieces.plain_bytes

[0, inputs.size / 2, inputs.size - 1].uniq.each { |index| check(pieces, index) } if inputs.first.bytesize < 1_000_000
puts [wall, cpu, pieces.plain_bytes, made, objects.fdiv(inputs.size)].join(" ")
