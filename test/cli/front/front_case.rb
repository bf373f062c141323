# frozen_string_literal: true

require "cli/cli_case"
require "open3"

# The native program that `spate setup` installs, compared with the Ruby launcher that it replaces.
class FrontCase < CLICase
  FrontEnd = Spate::CLI::Setup::FrontEnd

  def setup
    skip "the front end is not compiled on this system" unless FrontEnd.compiled
    super
    result = spate("setup", "--dir", bin)
    assert_equal 0, result.status, result.err
  end

  def bin = File.join(folder, "bin")
  def front = File.join(bin, "spate")
  def ruby = File.join(bin, "spate-ruby")

  def environment
    { "HOME" => folder, "SPATE_HOME" => "#{folder}/home", "RUBYOPT" => nil, "RUBYLIB" => nil, "SPATE_FRONT" => nil,
      "SPATE_BOOT_BACKGROUND" => "0", "BUNDLE_GEMFILE" => nil }
  end

  # [stdout, stderr, exit code]
  def run_program(*command, dir: folder, env: {}, **options)
    out, err, status = Open3.capture3(environment.merge(env), *command, chdir: dir, **options)
    [out, err, status.exitstatus]
  end

  def assert_same(*words, **options)
    expected = run_program(ruby, *words, **options)
    assert_equal expected, run_program(front, *words, **options), words.inspect
    expected
  end

  # Paths of the programs that a command executes, in order.
  def programs(*command, **options)
    trace = File.join(folder, "trace")
    out, err, status = run_program("strace", "-f", "-qq", "-e", "trace=execve", "-o", trace, *command, **options)
    skip "strace does not work here: #{err}" if status == 1 && out.empty? && !File.size?(trace)
    File.readlines(trace).grep(/ = 0$/).map { |line| line[/execve\("(.*?)"/, 1] }
  end
end
