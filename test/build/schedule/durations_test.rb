# frozen_string_literal: true

require "build/build_case"

module Spate
  class DurationsTest < BuildCase
    def durations = Build::Schedule::Durations.new(store)

    def test_unknown_durations_are_estimated_from_the_sources
      small = store.package(in_store(native_gem("small")))
      large = store.package(in_store(native_gem("large",
                                                { "ext/large/a.cpp" => "// #{"x" * 300_000}\n",
                                                  "spec/big.c" => "x" * 900_000 })))

      assert_in_delta Build::Schedule::Durations::LEAST, durations.of("small", small), 0.1
      assert_in_delta Build::Schedule::Durations::LEAST + 5, durations.of("large", large), 0.2
      assert_in_delta Build::Schedule::Durations::LEAST, durations.of("unknown")
    end

    # Configuring often takes half of a build's time, and does not depend on the size of the source.
    def test_probes_are_counted
      probes = "require 'mkmf'\n# have_text\nhave_header('a.h') && have_func('b')\nfind_library('c')\n" \
               "create_makefile('probing/probing')\n"
      probing = store.package(in_store(native_gem("probing", { "ext/probing/extconf.rb" => probes,
                                                               "test/extconf.rb" => probes })))
      expected = Build::Schedule::Durations::LEAST + (4 * Build::Schedule::Durations::PROBE_SECONDS)
      assert_in_delta expected, durations.of("probing", probing), 0.1
    end

    def test_recent_duration_has_more_weight
      durations.remember("alpha", 12.3456)

      assert_in_delta 12.346, durations.of("alpha", nil), 0.001
      store.write("durations", "alpha", "damaged")
      assert_in_delta Build::Schedule::Durations::LEAST, durations.of("alpha")
    end

    def test_build_records_its_duration
      result = build(builder, native_gem("alpha"))

      assert_in_delta result.seconds, durations.of("alpha"), 0.002
    end
  end
end
