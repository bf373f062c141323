# frozen_string_literal: true

require "support/team/far"
require "support/team/machine"

module Benchmark
  module Team
    # A simulated connection with servers at its far end and machines at its near end.
    class World
      attr_reader :far, :line

      # Yields a World and ends all of its processes afterwards, even if the block raises.
      def self.open
        world = new
        world.start
        yield world
      ensure
        world&.stop
        Peers.empty_trash
      end

      def initialize
        @line = Line.new(App::FOLDER)
        @far = Far.new(@line, "#{App::FOLDER}/far", App::MIRROR)
      end

      def start
        FileUtils.mkdir_p("#{App::FOLDER}/far")
        @line.start
        @far.start
        @key = "#{App::FOLDER}/ci.pem"
        text, = Open3.capture2(Peers.launcher, "cache", "key", "ci", @key) unless File.exist?(@key)
        File.write("#{@key}.public", text[/\S+:\S+/]) if text
      end

      def stop
        @far.stop
        @line.stop
      end

      # cache: nil, :nginx, :serve, … host: the host in the cache's address.
      def machine(app, name, cache = nil, host: Line::FAR, &change)
        settings = cache ? reading(cache, host) : {}
        Machine.new(@line, app, name, source, settings, &change)
      end

      # A machine that may send to a cache.
      def sender(app, name, cache)
        settings = { "SPATE_CACHE" => @far.url(cache, userinfo: Far::WRITER), "SPATE_CACHE_KEYS" => trusted }
        Machine.new(@line, app, name, source, settings.merge("SPATE_CACHE_KEY" => @key))
      end

      def source = @far.url(:source)

      # Round-trip time in milliseconds: the median of five connections.
      def round_trip
        script = "t=Process.clock_gettime(1);TCPSocket.new(*ARGV).close;puts Process.clock_gettime(1)-t"
        command = [RbConfig.ruby, "--disable-gems", "-rsocket", "-e", script, Line::FAR, Far::PORTS[:source].to_s]
        Figures.median(Array.new(5) { Open3.capture2(*@line.at(:near, *command)).first.to_f * 1000 })
      end

      # Seconds for a download of this many bytes over a new connection.
      def transfer(bytes)
        path = "#{App::MIRROR}/bytes"
        File.binwrite(path, Random.bytes(bytes)) unless File.size?(path) == bytes
        script = "t=Process.clock_gettime(1);Net::HTTP.get(URI(ARGV[0]));puts Process.clock_gettime(1)-t"
        command = [RbConfig.ruby, "-rnet/http", "-e", script, "#{source}/bytes"]
        Figures.median(Array.new(3) { Open3.capture2(*@line.at(:near, *command)).first.to_f })
      end

      # The public key that machines trust.
      def trusted = File.read("#{@key}.public")

      private

      def reading(cache, host) = { "SPATE_CACHE" => @far.url(cache, host: host), "SPATE_CACHE_KEYS" => trusted }
    end
  end
end
