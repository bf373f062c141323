# frozen_string_literal: true

require_relative "assault/attack_client"
require_relative "assault/attack_peer"
require_relative "assault/attacked_process"
require_relative "attacks"

module Spate
  module Server
    # Runs attacks against a server. Measures their effect on it and on a well-behaved client.
    class Assault
      # cpu and tick: CPU seconds of the server, in total and in the longest tick of a connection. memory: its
      # largest growth in bytes. served, unserved and wait: requests of the well-behaved client with and without a
      # response, and its longest wait in seconds. endings: how each attack ended, as `ends` of Variant:
      #
      #     :CODE            GOAWAY with this code, on every connection
      #     %i[reset CODE]   a stream was reset with this code, and the connection goes on
      #     400              a response with this status, and the connection ends
      #     :served          the connection goes on
      #     :closed          closed without GOAWAY or an error response
      #     :any             any ending, if the server continues
      MEMBERS = %i[variant endings cpu tick memory served unserved wait].freeze
      Result = Struct.new(*MEMBERS, keyword_init: true) do
        def as_it_should? = variant.ends == :any || endings.uniq == [variant.ends]
      end

      POLITE = File.join(__dir__, "assault/polite_client.rb")
      # Seconds within which the server must end an attack.
      SECONDS = 6

      def initialize(**limits)
        @server = AttackedProcess.new(**limits)
        @polite = IO.popen([RbConfig.ruby, "--disable-gems", POLITE, @server.port.to_s], "r+")
        polite
        warm_up
      end

      # Runs them one after another. Yields each result.
      def one_by_one(variants) = variants.each { |variant| yield measure([variant]).first }

      # Runs them concurrently. Each result contains the costs of all.
      def together(variants, &block) = measure(variants).each(&block)

      def close
        @polite.close_write
        @polite.close
        @server.close
      end

      private

      # Excludes from the measurement what the first requests load and allocate.
      def warm_up
        act = ->(peer) { peer.flood(300) { |n| peer.request(2 * n + 1, "/", verb: "HEAD") } }
        attempt(Attacks::Variant.new(over: :http2, peers: 1, ends: :served, act: act))
      end

      def measure(variants)
        polite
        @server.longest_tick
        memory = @server.memory
        @server.forget_peak
        cpu = @server.seconds
        endings = variants.map { |variant| Thread.new { attempt(variant) } }.map(&:value)
        figures = { cpu: @server.seconds - cpu, tick: @server.longest_tick, memory: [@server.peak - memory, 0].max,
                    **polite }
        variants.zip(endings).map { |variant, ends| Result.new(variant: variant, endings: ends, **figures) }
      end

      # Returns the results of the well-behaved client since the last call.
      def polite
        @polite.puts
        served, unserved, wait = (@polite.gets || raise("the polite client died")).split
        { served: Integer(served), unserved: Integer(unserved), wait: Float(wait) }
      end

      def attempt(variant)
        peers = Array.new(variant.peers) { variant.peer(@server.port) }
        peers.map { |peer| Thread.new { variant.act.call(peer) } }.each(&:value)
        peers.map { |peer| ending(peer, variant.ends) }
      ensure
        peers&.each(&:close)
      end

      def ending(peer, expected)
        case expected
        when :served then peer.alive? ? :served : peer.ending(0)
        when :any then nil
        when Array then reset(peer, expected)
        else peer.ending(SECONDS)
        end
      end

      def reset(peer, expected)
        code = HTTP2::ErrorCode.const_get(expected.last)
        found = peer.wait(SECONDS) { peer.resets.any? { |_, number| number == code } }
        return expected if found && peer.alive?

        found ? peer.ending(0) : [:reset, *peer.resets.map { |_, number| HTTP2::ErrorCode::NAMES[number] }.uniq]
      end
    end
  end
end
