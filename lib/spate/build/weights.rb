# frozen_string_literal: true

module Spate
  module Build
    # How long a build will take: as long as the last one of that gem on this machine, else a guess from its sources.
    class Weights
      KIND = "durations"
      # Bytes that a compiler gets through in a second on one processor, by order of magnitude.
      RATES = {
        /\.(?:c|m)\z/ => 400_000, /\.(?:cc|cpp|cxx|mm)\z/ => 60_000, /\.rs\z/ => 20_000,
        # Sources of a library that the gem brings packed: configure, unpack, compile.
        /\.(?:tar\.\w+|tgz|txz)\z/ => 100_000
      }.freeze
      # Configuring, linking, starting Ruby.
      LEAST = 0.7

      def initialize(store)
        @store = store
      end

      # Seconds. manifest: the package's Native::Manifest, or nil.
      def of(name, manifest = nil)
        known = @store.read(KIND, name)
        return known.to_f if known&.match?(/\A\d/)

        manifest ? guess(manifest) : LEAST
      end

      def remember(name, seconds)
        @store.write(KIND, name, format("%.3f\n", seconds))
      end

      private

      def guess(manifest)
        manifest.paths.each_with_index.sum(LEAST) do |path, index|
          _, rate = RATES.find { |pattern, _| pattern.match?(path) }
          rate && !path.match?(%r{(?:\A|/)(?:test|spec)/}) ? manifest.entry(index)[:size].fdiv(rate) : 0.0
        end
      end
    end
  end
end
