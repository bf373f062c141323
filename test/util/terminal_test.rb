# frozen_string_literal: true

require "cli/cli_case"

class TerminalTest < CLICase
  def test_control_characters_from_gems_are_escaped
    assert_equal "a\\e[31mred\\u009B \\u202E\ttab\n", Spate::Util::Terminal.plain("a\e[31mred\u009b \u202e\ttab\n")
    assert_equal "\u{fffd}", Spate::Util::Terminal.plain("\xFF")
  end

  def test_terminal_has_colours_unless_disabled
    assert_equal "\e[31mx\e[0m", terminal(err: Screen.new).paint("x", :red)
    [{ "NO_COLOR" => "1" }, { "CI" => "true" }, { "TERM" => "dumb" }].each do |env|
      assert_equal "x", terminal(err: Screen.new, env: env).paint("x", :red), env
    end
    assert_equal "x", terminal.paint("x", :red)
  end

  def test_stdout_has_colours_on_a_terminal_only
    assert_equal "x", terminal(err: Screen.new).paint_data("x", :red)
    assert_equal "\e[31mx\e[0m", terminal(err: Screen.new, out: Screen.new).paint_data("x", :red)
    assert_equal "\e[31mx\e[0m", terminal.tap { |terminal| terminal.color = true }.paint_data("x", :red)
    assert_equal "x", terminal(err: Screen.new, out: Screen.new, env: { "NO_COLOR" => "1" }).paint_data("x", :red)
  end

  def test_empty_no_color_is_ignored
    assert_predicate terminal(err: Screen.new, env: { "NO_COLOR" => "" }), :color?
  end

  def test_width
    assert_equal 132, terminal(err: Screen.new.tap { |screen| screen.columns = 132 }).width
    assert_equal 80, terminal(err: Screen.new.tap { |screen| screen.columns = 0 }).width
    assert_equal 50, terminal(env: { "COLUMNS" => "50" }).width
    assert_equal 80, terminal.width
  end

  def test_quiet_prints_errors_only
    err = StringIO.new
    quiet = terminal(err: err).tap { |terminal| terminal.quiet = true }
    quiet.info("progress")
    quiet.warning("careful", hint: "do")

    assert_empty err.string
    quiet.error("wrong", details: ["line"], hint: "mend")
    assert_equal "error: wrong\n  line\nhint: mend\n", err.string
  end
end
