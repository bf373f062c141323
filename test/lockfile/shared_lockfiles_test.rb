# frozen_string_literal: true

require "test_helper"
require "json"

# Real lockfiles, each compared with the result of Bundler's parser (in a .json file with the same name).
class SharedLockfilesTest < Minitest::Test
  FOLDER = ENV.fetch("SPATE_TEST_LOCKFILES") { File.expand_path("../../../shared/lockfiles", __dir__) }
  LOCKFILES = Dir["#{FOLDER}/*.lock"]

  def test_the_lockfiles_are_here
    skip "no lockfiles in SPATE_TEST_LOCKFILES (#{FOLDER})" if LOCKFILES.empty?
    assert_operator LOCKFILES.size, :>=, 18
  end

  LOCKFILES.each do |path|
    define_method("test_#{File.basename(path, ".lock").tr("-", "_")}") do
      expected = JSON.parse(File.read("#{path}.json"))
      case expected["error"]
      when nil then assert_same_content(expected, lockfile(path))
      when "Bundler::Plugin::UnknownSourceError" then assert_plugin_source(lockfile(path))
      else assert_refused(path)
      end
    end
  end

  private

  def lockfile(path) = Spate::Lockfile.parse(File.binread(path), path: path)

  def assert_same_content(expected, lockfile)
    assert_equal(expected["sources"].map { |source| source.except("name") }, lockfile.sources.map { |it| source(it) })
    assert_equal(expected["specs"].sort_by { |spec| sorting(spec) }, specs(expected, lockfile))
    assert_equal(expected["dependencies"].transform_values { |one| one["requirement"] }, dependencies(lockfile))
    assert_equal expected["platforms"], names_by_old_rubygems(lockfile.platforms.map(&:to_s)).sort
    assert_equal File.read(lockfile.path).match?(/^CHECKSUMS\r?$/), !lockfile.checksums.nil?
  end

  def source(source)
    case source.type
    when :gem then { "type" => "rubygems", "remotes" => source.remotes }
    when :path then { "type" => "path", "path" => source.remote, "glob" => source.glob }.compact
    else { "type" => "git", **source.to_h.except(:name).transform_keys(&:to_s) }.compact
    end
  end

  def specs(expected, lockfile)
    specs = lockfile.specs.map do |spec|
      index = lockfile.sources.index { |source| source.equal?(spec.source) }
      { "name" => spec.name, "version" => spec.version, "platform" => names_by_old_rubygems([spec.platform]).first,
        "source" => index, "source_type" => expected["sources"][index]["type"],
        "dependencies" => spec.dependencies.to_h { |dependency| [dependency.name, requirement(dependency)] },
        "checksum" => lockfile.digests(spec.full_name)["sha256"] }.compact
    end
    specs.sort_by { |spec| sorting(spec) }
  end

  def dependencies(lockfile)
    lockfile.dependencies.to_h { |dependency| [dependency.name, requirement(dependency)] }
  end

  def requirement(dependency) = Gem::Requirement.new(*dependency.requirement&.split(/\s*,\s*/)).to_s

  def sorting(spec) = spec.values_at("name", "version", "platform")

  # The RubyGems that wrote the .json files did not distinguish "linux-gnu" and "linux".
  def names_by_old_rubygems(names) = names.map { |name| name.sub(/(?<=linux)-gnu.*/, "") }

  def assert_plugin_source(lockfile)
    kept = lockfile.variants("kept_gem").first
    assert_equal [:plugin, "kept"], [kept.source.type, kept.source.plugin]
    assert_equal %w[plugin path gem gem], lockfile.sources.map { |source| source.type.to_s }
    assert_equal %w[ruby java x64-mingw-ucrt x86_64-linux],
                 [*lockfile.variants("racc"), *lockfile.variants("nokogiri").drop(1)].map(&:platform)
  end

  def assert_refused(path)
    error = assert_raises(Spate::Lockfile::ParseError) { lockfile(path) }
    assert_match(/:#{first_conflict(path)}: contains merge conflicts/, error.message)
    assert_includes error.hint, "spate lock"
  end

  def first_conflict(path) = File.foreach(path).with_index(1).find { |line, _| line.start_with?("<<<<<<<") }.last
end
