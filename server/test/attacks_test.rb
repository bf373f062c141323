# frozen_string_literal: true

require "test_helper"
require "support/assault"

module Spate
  module Server
    # Runs every attack against a server process. Checks memory, CPU time, the longest tick and how the connection ends,
    # and that every request of a well-behaved client succeeds. docs/attacks.md has the figures.
    class AttacksTest < Minitest::Test
      MEMORY = 64 << 20
      # Limits in seconds: CPU time of a whole attack, and of one tick of a connection.
      CPU = 3.0
      TICK = 0.1

      def check(result)
        title = result.variant.title
        faults = []
        faults << "ended with #{result.endings.tally}, not #{result.variant.ends}" unless result.as_it_should?
        faults << "memory grew by #{result.memory >> 20} MB" if result.memory > MEMORY
        faults << "took #{result.cpu.round(2)} s of CPU" if result.cpu > CPU
        faults << "a tick took #{result.tick.round(2)} s of CPU" if result.tick > TICK
        faults << "#{result.unserved} requests of a polite client were not answered" if result.unserved.positive?
        faults.map { |fault| "#{title}: #{fault}" }
      end

      def assault(variants, way, **limits)
        assault = Assault.new(**limits)
        faults = []
        assault.public_send(way, variants) { |result| faults.concat(check(result)) }
        assert_empty faults, faults.join("\n")
      ensure
        assault&.close
      end

      def test_enough_attacks
        http1, http2 = Attacks.all.partition { |variant| variant.over == :http1 }
        assert_operator http1.size, :>=, 30
        assert_operator http2.size, :>=, 75
      end

      def test_quick_attacks = assault(Attacks.quick, :one_by_one)
      def test_slow_attacks = assault(Attacks.slow(:http2), :together, **Attacks::QUICK)
      def test_slow_attacks_of_http1 = assault(Attacks.slow(:http1), :together, **Attacks::QUICK)
    end
  end
end
