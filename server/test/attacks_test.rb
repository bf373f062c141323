# frozen_string_literal: true

require "test_helper"
require "support/assault"

module Spate
  module Server
    # Every attack against the server as a process: bounded memory and time, the right end, and an answer within a
    # second for a client that behaves. docs/attacks.md has the figures.
    class AttacksTest < Minitest::Test
      MEMORY = 64 << 20
      CPU = 3.0
      WAIT = 1.0

      def check(result)
        title = result.variant.title
        faults = []
        faults << "ended with #{result.endings.tally}, not #{result.variant.ends}" unless result.as_it_should?
        faults << "memory grew by #{result.memory >> 20} MB" if result.memory > MEMORY
        faults << "took #{result.cpu.round(2)} s of CPU" if result.cpu > CPU
        faults << "a polite client waited #{result.wait.round(2)} s" if result.wait > WAIT
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

      def test_enough_attacks = assert_operator(Attacks.all.size, :>=, 75)
      def test_quick_attacks = assault(Attacks.all.reject(&:slow), :one_by_one)
      def test_slow_attacks = assault(Attacks.all.select(&:slow), :together, **Attacks::QUICK)
    end
  end
end
