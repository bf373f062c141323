# frozen_string_literal: true

require "test_helper"
require "support/gem_source"
require "spate"

module Spate
  class RegistryPathSourceTest < Minitest::Test
    Package = Struct.new(:name, :version, :platform)

    def test_gemspecs_are_found_evaluated_and_left_alone
      GemSource::Repository.gem_files("inner", "2.0", extra: "spec.executables = [\"inner\"]").each do |path, content|
        write("app/engines/inner/#{path}", content)
      end
      before = File.read(File.join(folder, "app/engines/inner/inner.gemspec"))
      found = path_source("engines").gemspecs([Package.new("inner", "2.0", "ruby")])

      assert_equal [["inner", "2.0", "bin", ["inner"], File.join(folder, "app/engines/inner")]],
                   found.map { |gemspec|
                     [gemspec.name, gemspec.version, gemspec.bindir, gemspec.executables, gemspec.folder]
                   }
      assert_equal before, File.read(found.first.path)
    end

    def test_a_gem_without_gemspec_has_the_executables_of_its_bin_folder
      write("app/tool/bin/tool", "#!/bin/sh\n", mode: 0o755)
      found = path_source("tool").gemspecs([Package.new("tool", "1.0", "ruby")]).first

      assert_equal [nil, ["tool"]], [found.path, found.executables]
    end

    def test_a_folder_that_is_not_there
      error = assert_raises(Registry::PathSource::Missing) { path_source("nowhere").gemspecs([]) }

      assert_equal [14, "the path #{folder}/app/nowhere does not exist"], [error.exit_code, error.message]
    end

    def test_a_copy_by_bundle_cache_comes_first
      write("app/vendor/cache/tool/.bundlecache", "")
      vendor = Registry::Vendor.new(File.join(folder, "app/vendor/cache"))
      source = Lockfile::PathSource.new("../elsewhere/tool", nil)

      assert_equal File.join(folder, "app/vendor/cache/tool"),
                   Registry::PathSource.new(source, root: File.join(folder, "app"), vendor: vendor).folder
    end

    private

    def path_source(remote)
      Registry::PathSource.new(Lockfile::PathSource.new(remote, nil), root: File.join(folder, "app"))
    end
  end
end
