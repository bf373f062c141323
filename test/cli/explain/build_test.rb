# frozen_string_literal: true

require "install/build_case"

# `spate explain build`
class ExplainBuildTest < InstallBuildCase
  def setup
    super
    @file = write("file", "1")
    native("alpha", extconf: "$defs << '-DFLAVOUR=' + File.read('#{@file}')\nENV['MY_FLAVOUR']", value: "FLAVOUR")
    install(@project = another("alpha"))
  end

  def test_what_it_stands_on_and_what_changed
    output = @project.spate!("explain", "build", "alpha")
    assert_match(/\Aalpha-1.0  \h{64}-\h{16}\n  would be used here: nothing changed\n/, output)
    assert_match(/^  stands on .*\d+ programs, .*\d+ files/, output)
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

  def test_what_is_not_kept
    output, status = @project.spate("explain", "build", "beta")
    assert_equal [11, "error: the store has no build of beta that others may use\n"], [status.exitstatus, output]
    assert_includes @project.spate("explain", "build", "alhpa").first, "hint: did you mean alpha?"
    { %w[explain] => "which of build", %w[explain built] => "did you mean `spate explain build`?",
      %w[explain build] => "explain which gem's builds?" }.each do |words, text|
      output, status = @project.spate(*words)
      assert_equal [2, true], [status.exitstatus, output.include?(text)], output
    end
  end

  def test_verbose_says_why_it_is_built_anew
    File.write(@file, "2")
    assert_match(/^building alpha \(built anew: #{@file} changed\)$/, run_install(another("alpha"), "--verbose").first)
  end
end
