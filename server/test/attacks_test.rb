# frozen_string_literal: true

require "test_helper"
require "support/assault"

module Spate
  module Server
    # Every attack against the server as a process: bounded memory and work, turns that others do not feel, the right
    # end, and every request answered of a client that behaves. docs/attacks.md has the figures.
    class AttacksTest < Minitest::Test
      MEMORY = 64 << 20
      # Seconds of the processor, which are not those of the clock: what an attack takes, and one turn of a connection.
      CPU = 3.0
      TURN = 0.1

      def check(result)
        title = result.variant.title
        faults = []
        faults << "ended with #{result.endings.tally}, not #{result.variant.ends}" unless result.as_it_should?
        faults << "memory grew by #{result.memory >> 20} MB" if result.memory > MEMORY
        faults << "took #{result.cpu.round(2)} s of CPU" if result.cpu > CPU
        faults << "a turn took #{result.turn.round(2)} s of CPU" if result.turn > TURN
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
