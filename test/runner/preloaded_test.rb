# frozen_string_literal: true

require "test_helper"
%w[job counts preloaded].each { |name| require_relative name }

# Test programs forked by a parent that has loaded minitest.
class RunnerPreloadedTest < Minitest::Test
  include Runner

  PARENT = Preloaded.new
  ROOT = File.expand_path("../..", __dir__)

  def ran(text, arguments: ["--verbose"], parent: PARENT, **options)
    path = write("#{object_id}-#{rand(1_000_000)}_test.rb", "require \"bare_helper\"\n#{text}")
    program = parent.program(path, arguments, ["test"])
    Job.new("ruby", "a test", ["false"], counts: Counts::Minitest, program: program, **options).run(ROOT)
  end

  def test_case(*methods)
    "class T < Minitest::Test\n#{methods.map.with_index { |body, at| "def test_#{at} = #{body}\n" }.join}end\n"
  end

  def test_a_program_counts_its_tests
    job = ran(test_case("pass", "flunk", "skip(\"why\")"))

    assert_equal [1, 1, 1], [job.passed, job.failed, job.skips.length], job.output
    assert_equal [1, 0], [ran(test_case("pass")).passed, ran(test_case("pass", "pass")).failed]
  end

  # Compares the state that differs between programs with that of a new `ruby`.
  def test_program_has_the_state_of_a_new_process
    facts = "p [ARGV, $PROGRAM_NAME == __FILE__, Dir.pwd, $stdin.read, Warning[:deprecated], $VERBOSE, " \
            "Gem.user_home, Dir.home, ENV.keys.sort, $LOAD_PATH.first, Signal.trap(:TERM, :DEFAULT)]\nexit!\n"
    job = ran(facts, arguments: ["-n", "x"])
    path = write("facts_test.rb", "require \"bare_helper\"\n#{facts}")
    alone = Job.new("ruby", "a test", [RbConfig.ruby, "-W:deprecated", "-Itest", path, "-n", "x"],
                    counts: Counts::Minitest).run(ROOT)
    plain = [job, alone].map do |one|
      one.output.gsub(%r{[^"]*/spate-tests-[^/]+}, "HOME").sub(/"PWD", /, "").sub(/"OLDPWD", /, "")
    end

    assert_includes plain.first, "HOME/home"
    assert_equal(*plain.reverse)
  end

  def test_mounts_of_a_program_are_its_own
    skip "no mount namespaces for running programs here" unless Mounts.possible? && Mounts.separable?
    text = "system(\"mount -t tmpfs none /mnt\", exception: true)\nputs File.readlines(\"/proc/mounts\").last\n"
    before = File.read("/proc/self/mountinfo")
    path = write("mounts_test.rb", text)
    alone = Job.new("ruby", "a test", [RbConfig.ruby, path], counts: Counts::Minitest).run(ROOT)

    [ran(text), alone].each { |job| assert_includes job.output, "none /mnt tmpfs" }
    assert_equal before, File.read("/proc/self/mountinfo")
  end

  def test_dying_program_does_not_affect_others
    assert_equal [0, 1], ran("Process.kill(:KILL, Process.pid)").then { |job| [job.passed, job.failed] }
    assert_equal [0, 1], ran("raise \"no\"").then { |job| [job.passed, job.failed] }
    assert_equal [0, 1], ran("exit!(0)").then { |job| [job.passed, job.failed] }
    assert_includes ran("Nothing").output, "uninitialized constant Nothing"
    ran("X = 1\nENV[\"X\"] = \"1\"\nDir.chdir(\"/\")")
    assert_equal 1, ran(test_case("refute(defined?(X) || ENV[\"X\"] || Dir.pwd == \"/\")")).passed
  end

  def test_hanging_program_is_stopped_with_its_children
    job = ran("puts spawn(\"sleep 60\")\n$stdout.flush\nsleep", limit: 1)

    assert_includes job.output, "no end after 1 s"
    assert_equal 1, job.failed
    assert_operator job.seconds, :<, 30
    child = Integer(job.output[/^\d+$/], 10)
    assert_raises(Errno::ESRCH) { 400.times { Process.kill(0, child) && sleep(0.05) } }
  end

  def test_processor_time_is_that_of_the_program_and_its_children
    busy = "nil until Process.clock_gettime(2) > 0.3"

    assert_operator ran("#{busy}\nsystem(#{RbConfig.ruby.dump}, \"--disable-gems\", \"-e\", #{busy.dump})").processor,
                    :>=, 0.5
  end

  def test_the_parent_ends_with_its_user
    script = "require #{File.expand_path("preloaded.rb", __dir__).dump}\n" \
             "Runner::Preloaded.new.tap { |it| it.send(:parent) }.then { |it| puts it.instance_variable_get(:@pid) }"
    pid = Integer(IO.popen([RbConfig.ruby, "-e", script], &:read), 10)

    assert_raises(Errno::ESRCH) { 400.times { Process.kill(0, pid) && sleep(0.05) } }
  end

  def test_program_that_needs_a_separate_process_gets_one
    fresh = write("fresh_test.rb", "# frozen_string_literal: true\n\n#{Preloaded::FRESH}")

    assert_nil PARENT.program(fresh, [], [])
    refute_nil PARENT.program(write("plain_test.rb", "# frozen_string_literal: true\n"), [], [])
  end
end
