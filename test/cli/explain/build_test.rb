# frozen_string_literal: true

require "install/build_case"

# `spate explain build` lists the inputs of a stored build, and which of them have changed.
class ExplainBuildTest < InstallBuildCase
  def setup
    super
    @file = write("file", "1")
    native("alpha", extconf: "$defs << '-DFLAVOUR=' + File.read('#{@file}')\nENV['MY_FLAVOUR']", value: "FLAVOUR")
    install(@project = another("alpha"))
  end

  def test_explains_inputs_and_changes
    output = @project.spate!("explain", "build", "alpha")
    assert_match(/\Aalpha-1.0  \h{64}-\h{16}\n  would be used here: nothing changed\n/, output)
    assert_match(/^  depends on .*\d+ programs, .*\d+ files/, output)
    assert_match(%r{^  program make: /\S+$}, output)
    refute_includes output, @file
    File.write(@file, "2")
    output = @project.spate!("explain", "build", "alpha-1.0", "--verbose")
    assert_includes output, "\n  not used here: #{@file} changed\n"
    assert_match(/^  file #{@file}$/, output)
    assert_match(/^  environment MY_FLAVOUR$/, output)
  end

  def test_json
    File.write(@file, "2")
    install(another("alpha"))
    lines = @project.spate!("explain", "build", "alpha", "--json").lines.map { |line| JSON.parse(line) }
    assert_equal [nil, "#{@file} changed"], (lines.map { |line| line["change"] })
    assert_equal %w[build_explained], lines.map { |line| line["event"] }.uniq
    assert_operator lines.first["inputs"]["environment"], :>, 1
  end

  def assert_explained(code, expected, *words, **options)
    output, status = @project.spate("explain", *words, **options)
    assert_match expected, output
    assert_equal code, status.exitstatus, output
  end

  def test_no_stored_build
    @source.add("plain", "1.0")
    install(@project = another("alpha", "plain"))
    assert_explained 11, /\Aerror: no build of plain is stored: the gem has no extension\n\z/, "build", "plain"
    assert_explained 11, /\Aerror: no build of beta .* not in the bundle\nhint: `spate list` shows/, "build", "beta"
    assert_explained 11, /hint: did you mean alpha\?$/, "build", "alhpa"
    assert_explained 11, /no build of beta is stored\nhint: no Gemfile found here/, "build", "beta", chdir: folder
    assert_explained 2, /missing gem name/, "build"
  end

  def test_subject_is_guessed
    told = @project.spate!("explain", "build", "alpha")
    assert_equal "running `spate explain build alpha`\n#{told}", @project.spate!("explain", "alpha")
    assert_equal told, @project.spate!("explain", "alpha", "--quiet")
    assert_explained 11, /\Arunning `spate explain build beta`\nerror: no build of beta/, "beta", chdir: folder
    ["Gemfile", "Gemfile.lock", @project.path("Gemfile")].each do |name|
      assert_explained 0, /\Arunning `spate explain gemfile`\ncheck /, name
    end
  end

  def test_hints_where_no_subject_can_be_guessed
    { [] => /\Aerror: missing subject: build or gemfile\nhint: spate explain --help/,
      %w[bulid alpha] => /hint: did you mean `spate explain build alpha`\?/,
      %w[alhpa] => /\Aerror: unknown subject "alhpa": expected .*\nhint: did you mean `spate explain build alpha`\?/,
      %w[alpha/version] => %r{hint: .*spate boot explain alpha/version}, %w[package.json] => /hint: .*`spate js check`/,
      %w[elephant] => /hint: spate explain --help/ }.each { |words, text| assert_explained 2, text, *words }
  end

  def test_verbose_gives_the_reason_of_a_rebuild
    File.write(@file, "2")
    assert_match(/^building alpha \(rebuilding: #{@file} changed\)$/, run_install(another("alpha"), "--verbose").first)
  end
end
