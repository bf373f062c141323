# frozen_string_literal: true

# Loaded by the tests of all gems in this repository.
$LOAD_PATH << __dir__
require "minitest/autorun"
require "tmpdir"
require "fileutils"

module Spate
  # The seed of random tests. Fixed, so that a run that passed passes again; random with --full. SPATE_SEED=N repeats a
  # failed run.
  def self.test_seed
    Integer(ENV.fetch("SPATE_SEED") { ENV["SPATE_TEST_FULL"] ? Random.new_seed % 1_000_000 : 1 })
  end

  # Temporary folders for a test, removed when it ends.
  module TestFolders
    def folder
      @folder ||= Dir.mktmpdir("spate-test-").tap { |path| (@folders ||= []) << path }
    end

    def write(relative, content, mode: nil)
      path = File.expand_path(relative, folder)
      FileUtils.mkdir_p(File.dirname(path))
      File.binwrite(path, content)
      File.chmod(mode, path) if mode
      path
    end

    def teardown
      super
      Array(@folders).each { |path| FileUtils.rm_rf(path) }
    end
  end

  # With SPATE_TEST_SAMPLE=N, a class runs every Nth of its tests, in the order of their names (test/runner/plan.rb).
  module TestSample
    class << self
      # The number of tests of each class that are left out.
      def left_out = @left_out ||= Hash.new(0)
    end

    def runnable_methods
      all = super
      chosen = all.sort.each_slice(Integer(ENV.fetch("SPATE_TEST_SAMPLE", 1))).map(&:first)
      TestSample.left_out[self] = all.length - chosen.length
      all & chosen
    end
  end
end

Minitest::Test.include(Spate::TestFolders)
Minitest::Test.singleton_class.prepend(Spate::TestSample)
Minitest.after_run do
  count = Spate::TestSample.left_out.values.sum
  puts "Left out: #{count} tests" if count.positive?
end
