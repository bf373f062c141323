# frozen_string_literal: true

require_relative "assault/attack_client"
require_relative "assault/attack_peer"
require_relative "assault/attacked_process"
require_relative "attacks"

module Spate
  module Server
    # Runs attacks against a server, and measures what they did to it and to a polite client beside them.
    class Assault
      # seconds of the server's processor, in all and in the longest tick of a connection; bytes by which its memory
      # grew at the most; requests of a polite client that were answered meanwhile, those that were not, and the seconds
      # that it waited at the most; how it ended, as a Variant's `ends`:
      #
      #     :CODE            GOAWAY with this code, on every connection
      #     %i[reset CODE]   a stream was reset with this code, and the connection goes on
      #     400              answered with this status, and the connection ends
      #     :served          the connection goes on
      #     :closed          closed without GOAWAY or an error response
      #     :any             any ending, if the server continues
      MEMBERS = %i[variant endings cpu tick memory served unserved wait].freeze
      Result = Struct.new(*MEMBERS, keyword_init: true) do
        def as_it_should? = variant.ends == :any || endings.uniq == [variant.ends]
      end

      POLITE = File.join(__dir__, "assault/polite_client.rb")
      # Seconds that the server has to come to the end of an attack.
      SECONDS = 6

      def initialize(**limits)
        @server = AttackedProcess.new(**limits)
        @polite = IO.popen([RbConfig.ruby, "--disable-gems", POLITE, @server.port.to_s], "r+")
        polite
        warm_up
      end

      # One after the other. Yields each result.
      def one_by_one(variants) = variants.each { |variant| yield measure([variant]).first }

      # All at once: what they took is that of all.
      def together(variants, &block) = measure(variants).each(&block)

      def close
        @polite.close_write
        @polite.close
        @server.close
      end

      private

      # Excludes what the first requests load and allocate.
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

      # The polite client's results since the last call.
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
