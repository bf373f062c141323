# frozen_string_literal: true

require "support/boot_row"

module Benchmark
  # Three hundred gems of twenty-one files.
  class BootSynthetic
  end
end
