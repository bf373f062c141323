# frozen_string_literal: true

require "test_helper"

class ProgramTest < Minitest::Test
  Program = Spate::RemoteCache::S3::Program

  def said(script, limit: 20) = Program.said({}, ["sh", "-c", script], limit: limit)

  def test_what_it_prints
    assert_equal "x" * 100_000, said("head -c 100000 /dev/zero | tr '\\0' x")
    assert_equal "", said("cat"), "nobody types anything"
    assert_match(/it ended with 3/, assert_raises(ArgumentError) { said("echo no; exit 3") }.message)
    assert_raises(Errno::ENOENT) { Program.said({}, ["/nonexistent/program"]) }
  end

  def test_one_without_end
    pids = "#{folder}/pids"
    ["sleep 1000 & echo $$ $! > #{pids}; wait", "sleep 1000 & echo $! > #{pids}"].each do |script|
      error = assert_raises(ArgumentError, script) { said(script, limit: 0.5) }

      assert_equal "it was not at its end after 0.5 seconds", error.message
      started = File.read(pids).split.map(&:to_i)
      refute_empty started
      sleep 0.01 while started.any? { |pid| running?(pid) }
    end
  end

  # Whoever was killed may wait to be collected by somebody else.
  def running?(pid)
    File.read("/proc/#{pid}/stat")[/\) (\w)/, 1] != "Z"
  rescue SystemCallError
    false
  end
end
