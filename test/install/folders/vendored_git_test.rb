# frozen_string_literal: true

require "install/install_case"

# Git gems that `bundle cache --all` put into vendor/cache. This machine's Bundler uses them in place or, since 2.6,
# copies them into the bundle. Spate must install the same files.
class VendoredGitTest < InstallCase
  GEMSPEC = <<~RUBY
    Gem::Specification.new("own", "1.0") do |spec|
      spec.summary = "x"
      spec.authors = ["x"]
      spec.files = ["lib/own.rb"]
      spec.executables = ["own"]
      spec.extensions = ["ext/extconf.rb"]
    end
  RUBY
  FILES = { "own.gemspec" => GEMSPEC, "lib/own.rb" => "require 'own/native'\n",
            "bin/own" => ["#!/usr/bin/env ruby\nrequire 'own'\nputs 'loaded'\n", 0o755],
            "ext/extconf.rb" => "require 'mkmf'\ncreate_makefile('own/native')\n",
            "ext/native.c" => "void Init_native(void) {}\n" }.freeze
  BUILT = /\.(?:so|o)\z|Makefile\z|gem_make\.out\z/

  def setup
    super
    @repository = GemSource::Repository.new(File.join(folder, "repository"))
    @repository.commit(FILES)
  end

  def test_tree_is_that_of_bundler
    mine, others = %w[spate bundler].map { |tool| cached(tool) }
    others.bundle("install")
    output = assert_done(mine)

    assert_match(/1 from git/, output)
    expected, found = [others, mine].map { |project| Spate::TreeComparison.snapshot(project.path("vendor")) }
    assert_empty Spate::TreeComparison.differences(expected, found, allowed: expected.keys.grep(BUILT))
    assert_match(/nothing to do/, assert_done(mine))
    make_anew(mine)

    assert_equal "loaded\n", mine.bundle("exec", "own")
    assert_match(/complete/, mine.spate!("check"))
  end

  private

  def cached(name)
    project = Spate::TestProject.new(File.join(folder, name), "gem 'own', git: '#{@repository.url}'\n",
                                     home: File.join(folder, "home-#{name}"))
    project.bundle("cache", BUNDLE_CACHE_ALL: "true")
    FileUtils.rm_rf(project.path("vendor/bundle"))
    project
  end

  # Deletes the bundle and installs again. The record of the old bundle must have no effect.
  def make_anew(project)
    FileUtils.rm_rf([project.path("vendor/bundle"), *Dir.glob(project.path("vendor/cache/*/lib/own"))])
    assert_done(project)
  end

  def assert_done(project)
    output, status = run_install(project, BUNDLE_FROZEN: "true")
    assert_predicate status, :success?, output
    output
  end
end
