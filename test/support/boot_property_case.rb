# frozen_string_literal: true

require "support/boot_matrix_case"
require "support/boot_random_edits"

module Spate
  # Makes random edits. After every few of them a boot rebuilds in the background, and must behave like plain Ruby.
  class BootPropertyCase < BootMatrixCase
    private

    def edit_at_random(seconds, seed: Integer(ENV.fetch("SPATE_SEED", Random.new_seed % 100_000)))
      project = BootGems.project(File.join(folder, "app"))
      project.warm
      edits = BootRandomEdits.new(project, Random.new(seed))
      random = Random.new(seed)
      made = []
      stop = now + seconds
      until now > stop && made.length > 2
        random.rand(1..3).times { made << edits.step }
        check(project, random, "SPATE_SEED=#{seed}: #{made.length} edits, the last: #{made.last(6).join("; ")}")
      end
      made.length
    end

    # Compares a boot with plain Ruby: with all parts or one alone, and with or without a running builder.
    def check(project, random, what)
      oracle = project.plain
      part = random.rand(4).zero? ? PARTS.sample(random: random) : nil
      project.settle if random.rand(2).zero?
      assert_same oracle, project.spate(part: part, readonly: random.rand(3).zero?), "#{what}, #{part || "all"}"
      project.settle if random.rand(2).zero?
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
