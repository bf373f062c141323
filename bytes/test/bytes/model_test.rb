# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "support/bytes_model"
require "support/sanitized"

module Spate
  # Random operations on buffers, views and bit streams have the same results as in BytesModel: 40,000 of them, or a
  # million with bin/test --full.
  class BytesModelTest < Minitest::Test
    include Sanitized

    STEPS = ENV["SPATE_TEST_FULL"] ? 1_000_000 : 40_000

    def test_random_operations
      seed = Spate.test_seed
      model = BytesModel.new(seed)
      model.run(STEPS)
      assert_equal STEPS, model.steps
    rescue BytesModel::Difference => e
      flunk "#{e.message} (SPATE_SEED=#{seed})"
    end

    # Runs with GC before each allocation, and with compaction.
    def test_under_stress
      assert_quiet "GC.stress = true", 150
      assert_quiet "GC.auto_compact = true; GC.stress = true", 60
      assert_quiet "GC.respond_to?(:verify_compaction_references) && GC.verify_compaction_references", 2000
    end

    def test_under_sanitizers
      env = sanitized
      build_sanitized "bytes/ext/bytes", "spate/native"
      # The last setting runs GC before each allocation, to find objects that only C references.
      { "" => 20_000, "GC.stress = true" => 60 }.each do |setting, steps|
        assert_quiet setting, steps, ["-I#{folder}"], **env
      end
      assert_ends_quietly ["-I#{folder}"], env
    end

    # At process exit, objects are freed in any order: a MemoryView may be released after its buffer.
    def assert_ends_quietly(options, env)
      script = "require 'fiddle'; require 'spate/bytes'; $held = Array.new(50) { |i| " \
               "bytes = Spate::Uint8Array.new(i + 1); [Fiddle::MemoryView.new(bytes.buffer), bytes, " \
               "Fiddle::MemoryView.new(bytes)] }; print 'done'"
      lib = File.expand_path("../../lib", __dir__)
      out, status = Open3.capture2e(env, RbConfig.ruby, *options, "-I#{lib}", "-e", script)
      assert_predicate status, :success?, out.lines.first(30).join
      assert_equal "done", out
    end

    def assert_quiet(setting, steps, options = [], **env)
      lib = File.expand_path("../../lib", __dir__)
      script = "require 'support/bytes_model'; model = Spate::BytesModel.new(7); model.run(50)\n" \
               "begin; #{setting}; rescue NotImplementedError; end; model.run(#{steps}); print model.steps"
      out, status = Open3.capture2e(env.transform_keys(&:to_s), RbConfig.ruby, "--disable-gems", *options, "-I#{lib}",
                                    "-I#{File.expand_path("..", __dir__)}", "-e", script)
      assert_predicate status, :success?, out.lines.first(30).join
      assert_equal (steps + 50).to_s, out.lines.last
    end
  end
end
