# frozen_string_literal: true

require "cli/cli_case"
require "expect"
require "open3"
require "pty"

# Completion in real shells: they run the completed command, which prints its arguments.
class CompletionTest < CLICase
  ROOT = File.expand_path("../..", __dir__)
  LOCKFILE = <<~LOCK
    GEM
      remote: https://gems.test/
      specs:
        rack (3.1.0)
        racket (1.0)
        zeitwerk (2.6.0)

    PLATFORMS
      ruby

    DEPENDENCIES
      rack
  LOCK
  SHELLS = {
    "bash" => [%w[bash --norc -i], 'eval "$(spate completion bash)"'],
    "zsh" => [%w[zsh -f -i], 'autoload -U compinit; compinit -u -D; eval "$(spate completion zsh)"'],
    "fish" => [%w[fish --private --no-config], "spate completion fish | source"]
  }.freeze
  LINES = {
    "spate inst\t" => "<install>", "spate install --froz\t" => "<install><--frozen>",
    "spate store ver\t" => "<store><verify>", "spate edit zeit\t" => "<edit><zeitwerk>",
    "spate explain build zei\t" => "<explain><build><zeitwerk>", "spate update zei\t" => "<update><zeitwerk>",
    "spate install --gemfile oth\t" => "<install><--gemfile><other.gemfile>",
    "spate install --compile-cache=back\t" => "<install><--compile-cache=background>"
  }.freeze

  def setup
    super
    write("Gemfile", "File.write('#{folder}/evaluated', '')\n")
    write("other.gemfile", "")
    write("Gemfile.lock", LOCKFILE)
    write("bin/spate", <<~SH, mode: 0o755)
      #!/bin/sh
      [ "$1" = completion ] && exec #{RbConfig.ruby} -I#{ROOT}/lib #{ROOT}/exe/spate "$@"
      printf '<%s>' "$@"; echo
    SH
  end

  SHELLS.each do |name, (command, start)|
    define_method("test_#{name}") do
      skip "#{name} is not installed" unless system("command -v #{name} >/dev/null")

      in_shell(command) do |shell|
        shell.call("#{start}; echo ready=$(echo yes)", "ready=yes")
        LINES.each { |line, answer| assert shell.call(line, answer), "#{name}: #{line.inspect}" }
      end
    end
  end

  def test_words
    assert_equal %w[rack racket], words("edit", "ra")
    assert_equal %w[rack racket], words("restore", "zeitwerk", "rac")
    assert_equal %w[install info init inject], words("help", "in")
    assert_equal %w[explain], words("boot", "--jobs", "3", "ex")
    assert_empty words("boot", "explain", "ra")
    assert_empty words("install", "--gemfile", "")
    assert_equal %w[wait background off], words("install", "--compile-cache", "")
    assert_equal %w[background], words("install", "--compile-cache", "=", "ba")
    assert_equal %w[--compile-cache=background], words("install", "--compile-cache=ba")
    assert_empty words("install", "--no-such-option=ba")
    assert_empty words("boot", "profile", "--", "ra")
    assert_equal %w[rack], words("install", "--rebuild", "rack") - %w[racket]
    assert_includes words("exec", "spat"), "spate"
    assert_empty words("no-such-command", "")
  end

  def test_completion_evaluates_nothing_and_offers_nothing_that_a_shell_would_run
    write("bin/spat$(reboot)", "", mode: 0o755)
    assert_equal %w[spate], words("exec", "spat")
    words("edit", "ra")
    write("Gemfile.lock", LOCKFILE.sub("racket (1.0)", "rack$(reboot) (1.0)"))
    assert_empty words("edit", "ra")
    write("Gemfile.lock", "<<<<<<< ours\n")
    assert_empty words("edit", "ra")
    refute_path_exists File.join(folder, "evaluated")
  end

  def test_an_unknown_shell
    result = spate("completion", "tcsh")
    assert_equal [2, "error: `spate completion` takes one of bash, zsh, fish, not \"tcsh\"\n" \
                     "hint: spate completion --help\n"], [result.status, result.err]
  end

  def test_manual_page_has_the_text_of_help
    skip "man is not installed" unless system("command -v man >/dev/null")

    text, status = Open3.capture2e({ "MANWIDTH" => "200" }, "man", "--warnings", "-Tascii", "-l", "-",
                                   stdin_data: spate("help", "--man").out)
    plain = text.gsub(/.\x08/, "").gsub(/-\n +/, "").squeeze(" \n").gsub(/\s+/, " ")
    assert_predicate status, :success?
    refute_match(/warning|error:/, text)
    Spate::CLI::COMMANDS.each_value do |constant|
      command = Spate::CLI.const_get(constant)
      [command.summary, *command.options.map(&:usage)].each { |words| assert plain.include?(words), words }
    end
  end

  private

  def words(*line)
    told = spate("completion", "words", "--", *line, env: { "PATH" => "#{folder}/bin" })
    told.out.lines.map { |one| one[/[^\t\n]+/] }
  end

  # Yields a lambda that types a line and waits for the output.
  def in_shell(command)
    env = { "PATH" => "#{folder}/bin:#{ENV.fetch("PATH")}", "HOME" => folder, "TERM" => "dumb", "PS1" => "> ",
            "HISTFILE" => nil }
    PTY.spawn(env, *command, chdir: folder) do |out, typed, pid|
      yield lambda { |line, answer|
        typed.write("#{line}\r")
        out.expect(answer, 20)
      }
    ensure
      Process.kill(:KILL, pid)
    end
  end
end
