# frozen_string_literal: true

# Loaded by RUBYOPT: the measured source stands for RubyGems', which never changes what it published (docs/sources.md).
def Gem.default_sources = [ENV.fetch("SPATE_BENCHMARK_SOURCE")] if defined?(Gem)
