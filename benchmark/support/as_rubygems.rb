# frozen_string_literal: true

# Loaded by RUBYOPT: treats the measured source as RubyGems' own, which never changes a published gem: docs/sources.md.
def Gem.default_sources = [ENV.fetch("SPATE_BENCHMARK_SOURCE")] if defined?(Gem)
