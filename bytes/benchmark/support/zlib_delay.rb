# frozen_string_literal: true

# Prints the worst delay of another Ruby thread during one call, or while idle. Arguments: LIBRARY WAY CORPUS
# THREADS, see zlib_probe.rb; THREADS is ignored. With WAY "curve", prints microseconds of one call for each length of
# the input: alone, and while another thread computes.

library, way, path, = ARGV
require "zlib"
require "spate/zlib" if library == "spate"
LIBRARY = library == "spate" ? Spate::Zlib : Zlib

def clock = Process.clock_gettime(Process::CLOCK_MONOTONIC)

# Milliseconds in which this thread was runnable, but had no processor. This delay is not caused by a lock. 0 if the
# kernel does not report it.
def without_processor
  @statistics ||= File.open("/proc/thread-self/schedstat") if File.exist?("/proc/thread-self/schedstat")
  return 0.0 unless @statistics

  @statistics.sysseek(0)
  @statistics.sysread(100).split[1].to_i / 1e6
end

# Returns the worst delay of a thread that sleeps for 1 ms repeatedly, in milliseconds: in total, and without the time
# in which the thread had no processor.
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

# Returns microseconds per call, measured for a quarter of a second.
def microseconds(input)
  calls = 0
  began = clock
  until (spent = clock - began) > 0.25
    4.times { LIBRARY.inflate(input) }
    calls += 4
  end
  spent / calls * 1e6
end

# Returns inputs of approximately these lengths. Random text with few different letters compresses at a known ratio.
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
