# frozen_string_literal: true

require "test_helper"
require_relative "../../benchmark/support/peers"
require "support/apps"
require "support/project"
require "support/tree_comparison"

module Spate
  # A real application with the configured gem source, installed by Spate and by the newest Bundler that runs on this
  # Ruby, and compared path by path. (Bundler 2.3 leaves out gems that are default gems of Ruby.)
  class AppCase < Minitest::Test
    # Files of a build that differ between two runs of Bundler: compiled code, and logs with paths and times.
    BUILT = /\.(?:so|o|a|bundle)\z|Makefile\z|(?:gem_make\.out|mkmf\.log|config\.log|config\.status|libtool|\.pc)\z/

    private

    def compare(name)
      skip "no folder #{name} in #{TestApps::FOLDER}" unless TestApps.available?(name)

      mine, theirs = %w[spate bundler].map { |tool| project(name, tool) }
      mine.spate!("install", BUNDLE_FROZEN: "true")
      theirs.run!(*Benchmark::Peers.bundler_command("install"), BUNDLE_FROZEN: "true")
      assert_empty differences(theirs, mine)
      assert_match(/satisfied/, mine.bundle("check"))
      yield mine if block_given?
    end

    def project(name, tool)
      app = TestProject.new(File.join(folder, tool, name), "", home: File.join(folder, "home-#{tool}"))
      TestApps.copy(name, app.folder)
      app
    end

    def differences(theirs, mine)
      expected = TreeComparison.snapshot(theirs.bundle_root)
      found = TreeComparison.snapshot(mine.bundle_root)
      TreeComparison.differences(expected, found, allowed: expected.keys.grep(BUILT))
    end

    # The number of hard-linked files, which share their inodes with the store.
    def linked(app) = Dir.glob("#{app.bundle_root}/gems/**/*.rb").count { |path| File.stat(path).nlink > 1 }
  end
end
