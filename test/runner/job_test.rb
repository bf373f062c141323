# frozen_string_literal: true

require "test_helper"
%w[job counts times preloaded plan run].each { |name| require_relative name }
require "stringio"

# The results of bin/test for programs that fail, are killed, hang or do nothing.
class RunnerJobTest < Minitest::Test
  include Runner

  MINITEST = "2 runs, 3 assertions, 0 failures, 0 errors, 0 skips"

  def job(script, counts: Counts::Minitest, **options)
    Job.new("ruby", "a test", ["sh", "-c", script], counts: counts, **options)
  end

  def results(*arguments, **options)
    ran = job(*arguments, **options).run(folder)
    [ran.passed, ran.failed, ran.skips]
  end

  def test_a_program_counts_its_tests
    assert_equal [2, 0, []], results("echo '#{MINITEST}'")
    skip = "  1) Skipped:\\nT#test [t.rb:1]:\\nwhy\\n"
    assert_equal [0, 1, ["T#test: why"]],
                 results("printf '#{skip}2 runs, 1 assertions, 1 failures, 0 errors, 1 skips\\n'; exit 1")
  end

  def test_program_without_output_has_failed
    assert_equal [0, 1, []], results("true")
    assert_equal [0, 1, []], results("echo '0 runs, 0 assertions, 0 failures, 0 errors, 0 skips'")
    assert_equal [0, 1, []], results("true", counts: Counts::Core)
  end

  def test_program_with_good_counts_and_a_bad_exit_code_has_failed
    assert_equal [2, 1, []], results("echo '#{MINITEST}'; exit 3")
    assert_equal [4, 1, []], results("echo 'tar_test: 4 tests, 9 checks, 0 failed'; kill -9 $$", counts: Counts::Core)
  end

  def test_a_fuzzer_must_have_read_more_than_its_seeds
    report = "INFO: seed corpus: files: 9 min: 1b\nstat::number_of_executed_units: "
    assert_equal [1, 0, []], results("printf '#{report}500\\n'", counts: Counts::Fuzzer)
    assert_equal [0, 1, []], results("printf '#{report}9\\n'", counts: Counts::Fuzzer)
    assert_equal [0, 1, []], results("printf '#{report}500\\n'; exit 77", counts: Counts::Fuzzer)
    assert_equal [0, 1, []], results("true", counts: Counts::Fuzzer)
  end

  def test_a_program_that_hangs_is_stopped
    hung = job("echo '#{MINITEST}'; sleep 60", limit: 0.2).run(folder)

    assert_equal 1, hung.failed
    assert_operator hung.seconds, :<, 30
    assert_includes hung.output, "no end after 0.2 s"
  end

  # A process in another group is not stopped with the test.
  def test_process_that_keeps_the_output_open
    ready = File.join(folder, "ready")
    program = "Process.setsid; puts Process.pid; $stdout.flush; File.write(ARGV[0], 1); sleep 600"
    ran = job("echo '#{MINITEST}'; ruby -e '#{program}' #{ready} & until [ -e #{ready} ]; do sleep 0.02; done",
              left: 0.2).run(folder)

    assert_equal [2, 1], [ran.passed, ran.failed]
    assert_includes ran.output, "still had its output open"
  ensure
    Process.kill(:KILL, ran.output[/^\d+$/].to_i) if ran
  end

  def test_missing_requirement_is_a_skip_with_its_reason
    assert_equal [0, 0, ["a test: no compiler"]], results("exit 1", missing: "no compiler")
  end

  # If tests have run, other output of bin/fresh does not make the job a skip.
  def test_unavailable_system_is_a_skip
    nested = { counts: Counts::Nested }
    said = "echo 'bin/fresh: needs root'; "
    assert_equal [0, 0, ["second system: needs root"]], results("#{said}exit 77", **nested)
    assert_equal [9, 2, []], results("#{said}echo '9 passed, 2 failed, 0 skipped'; exit 1", **nested)
  end

  def test_failures_print_the_command_that_repeats_them
    report = "  1) Failure:\\nT#test_one [t.rb:1]:\\nno\\n\\n  2) Error:\\nT#test_two:\\nNameError: no\\n" \
             "2 runs, 1 assertions, 1 failures, 1 errors, 0 skips\\n"
    failing = job("printf '#{report}'; exit 1", repeat: "bin/test t_test.rb")
    _, told = run_of([failing, job("false", repeat: "bin/test dead_test.rb"), job("exit 2")], strict: true)

    ["bin/test t_test.rb -n test_one", "bin/test t_test.rb -n test_two", "bin/test dead_test.rb", "sh -c exit 2"]
      .each { |command| assert_includes told.lines(chomp: true), "  #{command}" }
  end

  def test_times_are_recorded_and_merged
    FileUtils.mkdir_p(File.join(folder, "config"))
    times = Times.new(folder)
    took = ->(name, seconds) { Struct.new(:name, :seconds, :processor).new(name, seconds, 1.0) }
    times.record([took.call("a", 1.0), took.call("b", 2.0), took.call("skipped", 0.0)], whole: true)
    times.record([took.call("a", 3.0)], whole: false)

    assert_equal "    3.0     1.0  a\n    2.0     1.0  b\n", File.read(File.join(folder, Times::PATH))
    assert_equal [3.0, 2.0, Times::UNKNOWN], %w[a b new].map { |name| Times.new(folder).of(name) }
    times.record([took.call("a", 1.0)], whole: true)
    assert_equal Times::UNKNOWN, Times.new(folder).of("b")
  end

  def test_homes_are_each_jobs_own
    homes = Array.new(2) { job('echo "$HOME"; ls -A "$HOME" "$XDG_CACHE_HOME"; touch "$HOME/left"').run(folder).output }

    refute_equal(*homes)
    assert_equal([3, 3], homes.map { |output| output.lines.reject { |line| line == "\n" }.length })
    homes.each { |output| refute_path_exists output.lines(chomp: true).first }
  end

  def test_processor_time_is_that_of_children
    busy = job("#{RbConfig.ruby} --disable-gems -e 'nil until Process.clock_gettime(2) > 0.4'").run(folder)

    assert_operator busy.processor, :>=, 0.3
  end

  def test_the_last_line_counts
    jobs = [job("echo '#{MINITEST}'"), job("false"), job("", missing: "no compiler")]
    out = StringIO.new

    refute Run.new(jobs, root: folder, out: out, strict: true).call
    assert_equal "2 passed, 1 failed, 1 skipped", out.string.lines(chomp: true).last
    assert_includes out.string, "Skipped:\n  a test: no compiler\n"
    assert Run.new([job("echo '#{MINITEST}'")], root: folder, out: StringIO.new).call
  end

  # Each job waits for the other two.
  def test_jobs_run_concurrently_up_to_the_number_of_workers
    waiting = Array.new(3) do |index|
      job("touch ready#{index}; until ls ready0 ready1 ready2; do sleep 0.02; done; echo '#{MINITEST}'", limit: 20)
    end

    assert run_of(waiting, workers: 3, strict: true).first
    assert_includes run_of([job("true")], workers: 5, strict: true).last, "in all, 5 at a time"
  end

  # The preparation waits for the early job, and the job waits for the preparation to start.
  def test_early_jobs_run_beside_the_preparation
    prepare = lambda do
      write("begun", "")
      sleep 0.02 until File.exist?(File.join(folder, "ended"))
      write("prepared", "")
    end
    early = job("until ls begun; do sleep 0.02; done; touch ended; echo '#{MINITEST}'", limit: 20, early: true)

    assert run_of([job("ls prepared && echo '#{MINITEST}'"), early], workers: 1, strict: true, prepare: prepare).first
  end

  def test_failed_preparation_ends_the_run
    jobs = [job("touch ran; echo '#{MINITEST}'"), job("echo '#{MINITEST}'", early: true)]
    good, told = run_of(jobs, prepare: -> { false })

    refute good
    assert_includes told, "2 passed, 0 failed"
    refute_path_exists File.join(folder, "ran")
  end

  # Fails the first `failures` times.
  def shaky(failures)
    path = File.join(folder, "shaky#{failures}")
    job("echo x >>#{path}; [ $(wc -l <#{path}) -gt #{failures} ] && echo '#{MINITEST}'")
  end

  def run_of(jobs, **options)
    out = StringIO.new
    [Run.new(jobs, root: folder, out: out, **options).call, out.string]
  end

  def test_job_that_fails_once_is_reported_as_unsteady
    good, told = run_of([shaky(1)])

    assert good
    assert_match(/^FAILED .*^ok .* a test again, alone.*^Unsteady .*:\n  a test$/m, told)
    assert_match(/^2 passed, 0 failed, 0 skipped$/, told)
  end

  def test_a_job_must_pass_twice_alone
    good, told = run_of([shaky(2)])

    refute good
    refute_includes told, "Unsteady"
  end

  def test_no_second_chance_when_strict_or_when_many_fail
    refute run_of([shaky(8)], strict: true).first
    refute run_of([shaky(9), job("false"), job("false"), job("false")]).first
    assert_equal([1, 1], [8, 9].map { |failures| File.readlines(File.join(folder, "shaky#{failures}")).length })
  end
end
