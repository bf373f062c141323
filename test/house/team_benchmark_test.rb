# frozen_string_literal: true

require "test_helper"
require "English"
require "open3"
require "rbconfig"
$LOAD_PATH.unshift File.expand_path("../../benchmark", __dir__)
require "support/team_benchmark"

# benchmark/team_cache: the connection between its machines, and its counts.
class TeamBenchmarkTest < Minitest::Test
  Team = Benchmark::Team
  PROGRAM = File.expand_path("../../benchmark/team_cache", __dir__)
  SERVE = 'TCPServer.open(ARGV[0], 8080) { |server| $stdout.puts; $stdout.flush; server.accept.write("b" * 500_000) }'
  READ = "print TCPSocket.new(ARGV[0], 8080).read.bytesize"
  WAIT = "Socket.tcp(ARGV[0], 8080, connect_timeout: 0.5) rescue print $!.class"

  # Without a delay, because this measures nothing.
  def test_a_line
    refusal = Team::Line.refusal and skip refusal
    line = Team::Line.new(folder, delay: 0).start
    server = IO.popen(ruby(line, :far, SERVE, Team::Line::FAR))
    server.gets
    assert_equal ["500000", "Errno::ETIMEDOUT"],
                 [near(line, READ, Team::Line::FAR), near(line, WAIT, Team::Line::NOBODY)]
  ensure
    line&.stop
    server&.close
    refute_includes names, "-#{Process.pid}"
  end

  def test_stopping_a_line_ends_its_processes
    refusal = Team::Line.refusal and skip refusal
    line = Team::Line.new(folder, delay: 0).start
    left = IO.popen(ruby(line, :near, "$stdout.puts; $stdout.flush; sleep"))
    left.gets
    line.stop
    left.close
    assert_equal Signal.list["TERM"], $CHILD_STATUS.termsig
  end

  def near(line, *words) = Open3.capture2(*ruby(line, :near, *words)).first
  def ruby(line, side, *words) = line.at(side, RbConfig.ruby, "--disable-gems", "-rsocket", "-e", *words)
  def names = Team::Line.refusal ? "" : Open3.capture2("ip", "netns", "list").first

  def test_gems_of_a_lockfile
    lockfile = "GEM\n  specs:\n    bcrypt (3.1.19)\n    mail (2.8.1)\n      net-imap (>= 0.1)\n\nDEPENDENCIES\n  mail\n"
    assert_equal %w[bcrypt-3.1.19 mail-2.8.1], Team::App.locked(lockfile)
  end

  # A response of 200 means that the blob was already there.
  def test_count_of_uploads
    requests = [["PUT", "/cas/a", 201], ["PUT", "/cas/a", 201], ["PUT", "/cas/a", 200], ["PUT", "/cas/b", 201],
                ["PUT", "/ac/c", 201], ["GET", "/ac/c", 200], ["PUT", "/cas/d", 401]]
    assert_equal({ "blobs" => [2, 1], "documents" => [1] }, Team::Sending.sent(requests))
  end

  def test_builds_that_began
    events = [{ "event" => "build_start", "name" => "a" }, { "event" => "build_done", "name" => "b" }]
    assert_equal %w[a], Team::Machine::Run.new(nil, events).builds
  end

  # Measuring one case must keep the results of the others.
  def test_results_of_other_cases_are_kept
    tables = %w[a b].map { |title| Benchmark::Table.new(title, ["wall s"]).row(1).note("one") }
    text = "# benchmark/x\n\n2026; ruby\n\n#{tables.join("\n")}"
    kept = Benchmark::TeamBenchmark.others(text, [Benchmark::Table.new("a", ["wall s"]).row(2)])
    assert_equal ["## b\n\n| wall s |\n| --- |\n| 1 |\n\n- one\n- of an earlier run\n"], kept
    assert_equal kept, Benchmark::TeamBenchmark.others("#\n\n#{kept.first}", [])
  end

  def test_unknown_case
    output, status = Open3.capture2e(RbConfig.ruby, PROGRAM, "--cases", "lobsters,nothing")
    refute_predicate status, :success?
    assert_match(/no case is called nothing: lobsters, many|cannot run/, output)
  end
end
