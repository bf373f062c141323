# frozen_string_literal: true

# Splits a server's time into parts. A sample is assigned by the innermost frame that matches a pattern: `Hash#[]`
# called by the file handler is assigned to the file handler.
class Parts
  NAMES = {
    "garbage collection" => /\A\((garbage collection|marking|sweeping)\)/,
    "recv" => /Native\.receive|Native#receive/,
    "send" => /WriteBuffer#flush/,
    "epoll and turns" => /Poller|Reactor/,
    "HPACK" => /Hpack/,
    "frames in C" => /FrameReader|WriteBuffer#/,
    "stat" => /File\.l?stat|Native::Folder/,
    "file handler" => /Files|HTTPDate|MediaTypes/,
    "request and response" => /Server::Request|Server::Response/,
    "HTTP/2 in Ruby" => /HTTP2/,
    "connection" => /Connection/,
    "logs and metrics" => /Monitoring|Counters/
  }.freeze

  def initialize(recording)
    @recording = recording
    @known = Hash.new { |parts, frame| parts[frame] = NAMES.find { |_, pattern| frame.name.match?(pattern) }&.first }
  end

  # Returns {part => microseconds} in descending order.
  def sums
    sums = Hash.new(0)
    @recording.each_stack do |stack, weight|
      part = stack.reverse_each.lazy.filter_map { |frame| @known[frame] }.first
      sums[part || "other"] += weight
    end
    sums.sort_by { |_, weight| -weight }.to_h
  end
end
