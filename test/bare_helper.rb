# frozen_string_literal: true

# Shared by the tests of all three gems.
$LOAD_PATH << __dir__
require "minitest/autorun"
require "tmpdir"
require "fileutils"

module Spate
  # The seed of random tests: fixed, so that a run that passed passes again; random with --full. SPATE_SEED=N repeats a
  # failed run.
  def self.test_seed
    Integer(ENV.fetch("SPATE_SEED") { ENV["SPATE_TEST_FULL"] ? Random.new_seed % 1_000_000 : 1 })
  end

  # Folders for a test, removed when it ends.
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
end

Minitest::Test.include(Spate::TestFolders)
