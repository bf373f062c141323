# frozen_string_literal: true

require "install/install_case"
require "test_helper"
require "support/project"
require "support/tree_comparison"

# Complete installs from a local gem source. The real Bundler must find all gems, and the files must be the same as its
# own.
class InstallTest < Minitest::Test
  def setup
    @source = GemSource.start
    @source.add("tool", "1.0", executables: ["tool"], dependencies: { "base" => ">= 1" })
    @source.add("base", "1.2", files: { "lib/base.rb" => "BASE = 1\n", "data/empty" => "" })
    @source.add("native", "0.3", native: true)
    @source.add("odd", "1.0", executables: %w[odd],
                              files: { "exe/odd" => ["#!/usr/bin/env ruby\nputs 'odd'\n", 0o644], "lib/odd.rb" => "" })
  end

  def teardown
    @source.stop
    super
  end

  # Without MachineFacts: the first install records the facts itself.
  def project(name = "app", gems: %w[tool native], **options)
    gemfile = "source '#{@source.url}'\n#{gems.map { |gem| "gem '#{gem}'\n" }.join}"
    Spate::TestProject.new(File.join(folder, name), gemfile, facts: false, **options).tap(&:lock)
  end

  def gem_requests = @source.requests.count { |request| request.path.start_with?("/gems/") }

  def test_bundler_finds_everything_in_its_place
    app = project
    app.spate!("install")

    assert_equal %w[base-1.2 native-0.3 tool-1.0], app.installed
    assert_match(/satisfied/, app.bundle("check"))
    assert_match(/1/, app.bundle("exec", "ruby", "-e", "require 'base'; require 'native/native'; p BASE"))
    app.bundle("exec", "tool")
  end

  def test_tree_equals_that_of_bundler
    gems = %w[tool native odd]
    mine = project("mine", gems: gems).tap { |app| app.spate!("install") }
    theirs = %w[one two].map { |name| bundled(name, gems) }
    expected, other = theirs.map { |app| Spate::TreeComparison.snapshot(app.bundle_root) }
    unstable = Spate::TreeComparison.unstable(expected, other)

    assert_empty Spate::TreeComparison.differences(expected, Spate::TreeComparison.snapshot(mine.bundle_root),
                                                   allowed: unstable)
  end

  def test_a_second_project_fetches_and_builds_nothing
    project("one").spate!("install")
    requests = gem_requests
    second = project("two")
    second.spate!("install", PATH: without_compilers)

    assert_equal requests, gem_requests
    assert_equal %w[base-1.2 native-0.3 tool-1.0], second.installed
    assert_match(/satisfied/, second.bundle("check"))
  end

  def test_noop_install_prints_a_summary_and_changes_no_file
    app = project
    app.spate!("install")
    before = Spate::TreeComparison.snapshot(app.bundle_root)
    requests = @source.requests.size
    output = app.spate!("install")

    assert_equal before, Spate::TreeComparison.snapshot(app.bundle_root)
    assert_equal requests, @source.requests.size
    refute_match(/network/, output)
  end

  def test_a_gemfile_that_changed_is_resolved_by_bundler
    app = project(gems: %w[tool])
    File.write(app.path("Gemfile"), "#{File.read(app.path("Gemfile"))}gem 'native'\n")
    app.spate!("install")

    assert_includes File.read(app.path("Gemfile.lock")), "native (0.3)"
    assert_includes app.installed, "native-0.3"
  end

  def test_a_frozen_bundle_is_not_resolved
    app = project(gems: %w[tool])
    lockfile = File.read(app.path("Gemfile.lock"))
    File.write(app.path("Gemfile"), "#{File.read(app.path("Gemfile"))}gem 'native'\n")
    output, status = app.spate("install", BUNDLE_FROZEN: "true")

    assert_equal 4, status.exitstatus, output
    assert_match(/native/, output)
    assert_equal lockfile, File.read(app.path("Gemfile.lock"))
  end

  def test_a_group_left_out_is_not_installed
    app = project
    File.write(app.path("Gemfile"), "source '#{@source.url}'\ngem 'tool'\ngroup(:test) { gem 'native' }\n")
    app.lock
    app.spate!("install", BUNDLE_WITHOUT: "test")

    assert_equal %w[base-1.2 tool-1.0], app.installed
  end

  def test_interrupted_install_is_completed
    app = project
    app.spate!("install")
    FileUtils.rm("#{app.bundle_root}/specifications/base-1.2.gemspec")
    File.write("#{app.bundle_root}/gems/base-1.2/half", "written")
    app.spate!("install")

    refute_path_exists "#{app.bundle_root}/gems/base-1.2/half"
    assert_includes app.installed, "base-1.2"
  end

  def test_archive_with_another_checksum_leaves_no_file
    app = project(gems: %w[base], env: { "BUNDLE_LOCKFILE_CHECKSUMS" => "false" })
    lockfile = app.path("Gemfile.lock")
    File.write(lockfile, "#{File.read(lockfile)}\nCHECKSUMS\n  base (1.2) sha256=#{"0" * 64}\n")
    output, status = app.spate("install")

    assert_equal 7, status.exitstatus, output
    assert_match(/base-1\.2.*#{"0" * 64}/m, output)
    assert_empty Dir.glob("#{app.bundle_root}/{gems,specifications}/*")
    assert_empty Dir.glob("#{app.home}/spate/store/v1/packages/*")
  end

  private

  def bundled(name, gems)
    project(name, gems: gems, home: File.join(folder, "home-#{name}")).tap { |app| app.bundle("install") }
  end

  # A PATH with the programs that Ruby and Bundler need, without compiler and make.
  def without_compilers
    bin = File.join(folder, "bin")
    FileUtils.mkdir_p(bin)
    %w[ruby env sh git bundle].each do |name|
      target = ENV["PATH"].split(":").map { |dir| File.join(dir, name) }.find { |path| File.executable?(path) }
      File.symlink(File.realpath(target), File.join(bin, name)) if target
    end
    bin
  end
end

# Installs with non-ASCII paths in an ASCII locale, which most containers have.
class LocaleTest < InstallCase
  def test_project_and_files_with_non_ascii_names
    @source.add("plain", "1.0", files: { "lib/plain.rb" => "PLAIN = 1\n", "lib/ü ä.rb" => "" })
    project = app("sp ace é", gems: %w[plain], LC_ALL: "C")

    assert_installs(project, "plain-1.0")
    assert_path_exists "#{project.bundle_root}/gems/plain-1.0/lib/ü ä.rb"
    assert_match(/nothing to do/, assert_installs(project, "plain-1.0"))
    %w[check list doctor].each { |command| assert_equal "", project.spate(command).first.b[/this is a bug.*/].to_s }
    assert_match(/the bundle is complete: 1 gem/, project.spate("check").first.b)
  end
end
