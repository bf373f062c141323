# frozen_string_literal: true

module Spate
  module Build
    class Schedule
      # The expected duration of a build: the duration of the gem's last build on this machine, or an estimate based on
      # its sources.
      class Durations
        KIND = "durations"
        # Bytes that a compiler processes per second on one processor, by order of magnitude.
        RATES = {
          /\.(?:c|m)\z/ => 400_000, /\.(?:cc|cpp|cxx|mm)\z/ => 60_000, /\.rs\z/ => 20_000,
          # Archives of library sources, which are unpacked, configured and compiled.
          /\.(?:tar\.\w+|tgz|txz)\z/ => 100_000
        }.freeze
        # The minimum duration (seconds), for starting Ruby and linking.
        LEAST = 0.7
        EXTCONF = %r{(?:\A|/)[^/]*extconf[^/]*\.rb\z}
        # Calls of mkmf that run the compiler once or twice, and the seconds per call.
        PROBE = /\b(?:have|try|find|check|pkg)_\w+/
        PROBE_SECONDS = 0.12
        TESTS = %r{(?:\A|/)(?:test|spec)/}

        def initialize(store)
          @store = store
        end

        # Returns seconds. manifest: the package's Native::Manifest, or nil.
        def of(name, manifest = nil)
          known = @store.read(KIND, name)
          return known.to_f if known&.match?(/\A\d/)

          guess(PackageFiles.new(@store, manifest))
        end

        def remember(name, seconds)
          @store.write(KIND, name, format("%.3f\n", seconds))
        end

        private

        def guess(files)
          files.paths.sum(LEAST) do |path|
            next 0.0 if TESTS.match?(path)
            next files.read(path).to_s.scan(PROBE).size * PROBE_SECONDS if EXTCONF.match?(path)

            _, rate = RATES.find { |pattern, _| pattern.match?(path) }
            rate ? files.size(path).fdiv(rate) : 0.0
          end
        end
      end
    end
  end
end
