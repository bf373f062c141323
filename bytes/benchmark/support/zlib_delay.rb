# frozen_string_literal: true

# Another Ruby thread's worst delay during one call, or (idle) none: LIBRARY WAY CORPUS THREADS, see zlib_probe.rb; the
# last is not used. And, WAY "curve", microseconds of one call by the length of the input: alone, and beside a thread
# that computes.

library, way, path, = ARGV
require "zlib"
require "spate/zlib" if library == "spate"
LIBRARY = library == "spate" ? Spate::Zlib : Zlib

def clock = Process.clock_gettime(Process::CLOCK_MONOTONIC)

# Milliseconds that this thread was ready and had no processor: the machine's doing, not a lock's. 0 where the kernel
# does not tell.
def without_processor
  @statistics ||= File.open("/proc/thread-self/schedstat") if File.exist?("/proc/thread-self/schedstat")
  return 0.0 unless @statistics

  @statistics.sysseek(0)
  @statistics.sysread(100).split[1].to_i / 1e6
end

# Milliseconds more than the one that it sleeps: the most, and the most of those with a processor.
def worst_delay
  worst = held = 0
  ready = false
  stop = false
  ticker = Thread.new do
    last = clock
    waited = without_processor
    until stop
      sleep 0.001
      now = clock
      waits = without_processor
      late = (now - last) * 1000 - 1
      worst, held = [worst, late].max, [held, late - (waits - waited)].max if ready
      last = now
      waited = waits
      ready = true
    end
  end
  sleep 0.02
  yield
  stop = true
  ticker.join
  [worst, held]
end

def delay(way, path)
  File.open(path, "rb") do |file|
    _, deflated, plain = file.read(24).unpack("Q3")
    deflates = way.start_with?("deflate")
    file.seek(deflated, IO::SEEK_CUR) if deflates
    input = file.read(deflates ? plain : deflated)
    GC.start
    wall = 0
    made = nil
    worst, held = worst_delay do
      wall = clock
      made = case way
             when "inflate" then LIBRARY.inflate(input).bytesize == plain
             when "deflate" then LIBRARY.deflate(input, 6).bytesize < plain
             else sleep(1)
             end
      wall = clock - wall
    end
    raise "wrong length" unless made

    [worst, held, wall]
  end
end

CURVE = [256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536].freeze

# Microseconds a call, for a quarter of a second.
def microseconds(input)
  calls = 0
  began = clock
  until (spent = clock - began) > 0.25
    4.times { LIBRARY.inflate(input) }
    calls += 4
  end
  spent / calls * 1e6
end

# Inputs of these lengths; what has no pattern but few letters deflates to a known part.
def inputs
  random = Random.new(1)
  CURVE.map do |length|
    text = Array.new(length * 4) { random.rand(26) + 97 }.pack("C*")
    input = Zlib.deflate(text.byteslice(0, length * 8 / 5))
    input.bytesize > length ? Zlib.deflate(text.byteslice(0, length * 3 / 2)) : input
  end
end

def curve
  alone = inputs.map { |input| microseconds(input) }
  computes = Thread.new { loop { 1 + 1 } }
  beside = inputs.map { |input| microseconds(input) }
  computes.kill
  alone.zip(beside).flatten
end

puts (way == "curve" ? curve : delay(way, path)).join(" ")
