# frozen_string_literal: true

# Loaded through RUBYOPT. Treats the measured source like RubyGems' default source, which never changes a published gem
# (docs/sources.md).
def Gem.default_sources = [ENV.fetch("SPATE_BENCHMARK_SOURCE")] if defined?(Gem)
