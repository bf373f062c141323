# frozen_string_literal: true

require "test_helper"
require "stringio"

# Runs commands with injected streams and environment.
class CLICase < Minitest::Test
  SNAPSHOTS = File.expand_path("snapshots", __dir__)

  # A stream that pretends to be a terminal with a number of columns.
  class Screen < StringIO
    attr_accessor :columns

    def tty? = true
    def winsize = [24, columns || 80]
  end

  Result = Struct.new(:status, :out, :err)

  def spate(*argv, env: {}, err: StringIO.new, dir: folder)
    out = StringIO.new
    env = { "HOME" => folder, "PATH" => ENV.fetch("PATH"),
            "SPATE_HOME" => File.join(folder, "home"), "SPATE_BOOT_BACKGROUND" => "0" }.merge(env).compact
    status = Dir.chdir(dir) { Spate::CLI.start(argv, out: out, err: err, env: env) }
    Result.new(status, out.string, err.string)
  end

  def terminal(err: StringIO.new, out: StringIO.new,
               env: {}) = Spate::Util::Terminal.new(out: out, err: err, env: env)

  # Compares with test/cli/snapshots/NAME.txt; SPATE_SNAPSHOTS=write writes it.
  def assert_snapshot(name, text)
    path = File.join(SNAPSHOTS, "#{name}.txt")
    File.write(path, text) if ENV["SPATE_SNAPSHOTS"] == "write"
    assert_path_exists path
    assert_equal File.read(path), text
  end
end
