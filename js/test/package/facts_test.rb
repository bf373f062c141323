# frozen_string_literal: true

require "test_helper"
require "timeout"

# Package::Facts reads the fields of package.json that a restore needs, and is stored as text.
class JSFactsTest < Minitest::Test
  include Spate

  def read(json, paths = ["package.json"], &first_line)
    JS::Package::Facts.read(json.is_a?(String) ? json : JSON.generate(json), paths, "a@1.0.0", &first_line)
  end

  def setup
    require "json"
  end

  def test_reads_many_executables_quickly
    paths = Array.new(20_000) { |at| "b/#{at}" }
    facts = Timeout.timeout(4) { read({ "bin" => paths.to_h { |path| [File.basename(path), path] } }, paths) { "" } }

    assert_equal [20_000, []], [facts.bins.size, facts.missing]
  end

  def test_facts_for_a_restore
    facts = read({ "name" => "@s/a", "version" => "1.2.3", "bin" => "./bin/a.js",
                   "scripts" => { "postinstall" => "node x\n\ty\\n", "test" => "jest" },
                   "engines" => { "node" => ">=10" },
                   "os" => ["!win32"], "cpu" => "x64", "libc" => ["musl"], "bundledDependencies" => ["b", "../c"] },
                 ["package.json", "bin/a.js"]) { |path| path == "bin/a.js" ? "#!/usr/bin/env node\n" : "" }
    assert_equal ["@s/a", "1.2.3", { "a" => "bin/a.js" }], [facts.name, facts.version, facts.bins]
    assert_equal({ "postinstall" => "node x\n\ty\\n" }, facts.scripts)
    assert_equal [{ "node" => ">=10" }, ["!win32"], ["x64"], ["musl"], ["b"]],
                 [facts.engines, facts.os, facts.cpu, facts.libc, facts.bundled]
    assert_equal({ "bin/a.js" => "#!/usr/bin/env node\n" }, facts.shebangs)
    kept = JS::Package::Facts.parse(facts.to_s)
    assert_equal [facts, true, facts.to_s, ["bin/a.js"]], [kept.facts, kept.builds?, kept.to_s, kept.executables]
  end

  def test_stored_facts_are_parsed_lazily
    building = %w[preinstall install postinstall].map { |event| read({ "scripts" => { event => "x" } }).to_s }
    others = [{ "prepare" => "x" }, { "installs" => "\nscript\tinstall\tx" }].map do |each|
      read({ "scripts" => each }).to_s
    end
    kept = [*building, *others, "spate-npm 2\nname\tscript\\tinstall"].map { |text| JS::Package::Facts.parse(text) }
    assert_equal [true, true, true, false, false, false], kept.map(&:builds?)
    assert(kept.none? { |each| each.instance_variable_get(:@facts) })
    assert_equal kept.map(&:builds?), kept.map { |each| each.facts.builds? }
  end

  def test_invalid_bytes_and_non_ascii_text
    facts = read({ "name" => "a", "bin" => { "ä" => "ö.js" }, "scripts" => { "install" => "echo ü" } },
                 ["package.json", "ö.js", "\xFF/.gitignore".b]) { "#!/bin/\xFF\xE9 \xC3\xA9\r\n".b }
    text = facts.to_s
    assert_predicate text, :valid_encoding?
    kept = JS::Package::Facts.parse(text)
    assert_equal({ "ö.js" => "#!/bin/\uFFFD\uFFFD é\r\n" }, kept.shebangs)
    assert_equal [{ "ä" => "ö.js" }, { "install" => "echo ü" }, ["\uFFFD/.gitignore"]],
                 [kept.bins, kept.scripts, kept.gitignores]
  end

  def test_executable_paths_are_normalized_like_npm
    facts = read({ "name" => "a", "bin" => { "../../x" => "ok.js", "y" => "../../../etc/passwd", "z" => "/abs",
                                             "win" => "a\\..\\b.js", ".." => "q", "n" => 1, "nul" => "a\0b" } })
    assert_equal({ "x" => "ok.js", "z" => "abs", "win" => "b.js" }, facts.bins)
    assert_equal({ "y" => "etc/passwd" }, facts.clamped_bins)
  end

  def test_directories_bin_is_used_without_bin
    paths = ["package.json", "cmd/a", "cmd/deep/b", "other/c"]
    folder = { "directories" => { "bin" => "./cmd" } }
    assert_equal({ "a" => "cmd/a", "b" => "cmd/deep/b" }, read(folder, paths).folder_bins)
    assert_empty read({ "directories" => { "bin" => "../cmd" } }, paths).folder_bins
    assert_empty read({ "name" => "a", "bin" => { "x" => "y" }, **folder }, paths).folder_bins
  end

  def test_a_binding_gyp_implies_a_build
    assert_equal({ "install" => "node-gyp rebuild" }, read({}, ["binding.gyp"]).scripts)
    assert_empty read({ "gypfile" => false }, ["binding.gyp"]).scripts
    assert_equal ["preinstall"], read({ "scripts" => { "preinstall" => "x" } }, ["binding.gyp"]).scripts.keys
  end

  def test_an_invalid_package_json_is_an_error_that_names_the_package
    ["", "[]", "{", "null", "#{"[" * 200}#{"]" * 200}"].each do |text|
      error = assert_raises(JS::PackageFileError) { read(text) }
      assert_match(/\Aa@1\.0\.0: its package\.json cannot be read: /, error.message)
      assert_equal 8, error.exit_code
    end
  end

  def test_fields_of_invalid_types_are_ignored
    odd = [nil, 1, true, [1, [2]], { "a" => { "b" => 1 } }, "", "\0"]
    %w[name version bin directories scripts engines os cpu libc bundleDependencies bundledDependencies].each do |key|
      odd.each { |value| refute_nil JS::Package::Facts.parse(read({ key => value }).to_s).facts }
    end
  end

  def test_byte_order_mark_is_skipped
    assert_equal "a", read("\uFEFF{\"name\":\"a\"}").name
  end

  def test_text_of_another_version_is_ignored
    assert_nil JS::Package::Facts.parse("spate-npm 0\nname\ta")
    assert_nil JS::Package::Facts.parse("")
  end
end
