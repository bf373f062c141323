# frozen_string_literal: true

require "install/build_case"

# Processes that need the same build at the same time run it once. If the builder is killed, another one takes over.
class BuildRacesTest < InstallBuildCase
  # Each run of extconf.rb writes a line, and waits until the gate is opened.
  def setup
    super
    @log = "#{folder}/runs"
    @gate = "#{folder}/gate"
    File.write(@gate, "")
    native("alpha", extconf: "File.write('#{@log}', \"\#{Process.pid}\\n\", mode: 'a')\n" \
                             "File.open('#{@gate}') { |gate| gate.flock(File::LOCK_SH) }")
    @closed = File.open(@gate)
    @closed.flock(File::LOCK_EX)
  end

  def teardown
    @closed.close
    super
  end

  def test_eight_at_once_build_once
    projects = Array.new(8) { another("alpha") }
    installs = projects.map { |project| Thread.new { run_install(project) } }
    wait_for_runs(1)
    open_gate
    installs.map(&:value).each { |output, status| assert_equal 0, status.exitstatus, output }

    assert_equal 1, runs.size
    projects.each { |project| assert_equal "1", value(project, "alpha") }
  end

  def test_eight_processes_with_an_outdated_build_build_once
    include = FileUtils.mkdir_p("#{folder}/include").first
    native("beta", extconf: "$CPPFLAGS << ' -I#{include}'\nhave_header('late.h')\n" \
                            "File.write('#{@log}', \"x\\n\", mode: 'a')")
    install(another("beta"))
    write("include/late.h", "")
    File.unlink(@log)
    Array.new(8) { another("beta") }.map { |project| Thread.new { run_install(project) } }
         .map(&:value).each { |output, status| assert_equal 0, status.exitstatus, output }
    assert_equal 1, runs.size
  end

  def test_eight_that_request_a_rebuild
    open_gate
    install(another("alpha"))
    projects = Array.new(8) { another("alpha") }
    projects.map { |project| Thread.new { run_install(project, "--rebuild", "alpha") } }
            .map(&:value).each { |output, status| assert_equal 0, status.exitstatus, output }
    projects.each do |project|
      assert_equal "1", value(project, "alpha")
      assert_match(/nothing to do/, run_install(project).first)
    end
    assert_equal [[], %w[alpha]], install(another("alpha"))
    assert_store_clean(projects.first)
  end

  def test_killed_in_a_build
    project = another("alpha")
    pid = start(project)
    wait_for_runs(1)
    Process.kill(:KILL, pid)
    Process.wait(pid)
    child = runs.first.to_i
    Timeout.timeout(PATIENCE) { sleep 0.05 while alive?(child) }
    refute_includes project.installed, "alpha-1.0"

    open_gate
    assert_equal [%w[alpha], []], install(project)
    assert_equal "1", value(project, "alpha")
    assert_equal [[], %w[alpha]], install(another("alpha"))
    assert_store_clean(project)
  end

  # The process that builds is killed. One of the waiting processes takes over.
  def test_killed_while_others_wait
    first = start(another("alpha"))
    wait_for_runs(1)
    others = Array.new(3) { another("alpha") }
    installs = others.map { |project| Thread.new { run_install(project) } }
    sleep 1
    Process.kill(:KILL, first)
    Process.wait(first)
    wait_for_runs(2)
    open_gate
    installs.map(&:value).each { |output, status| assert_equal 0, status.exitstatus, output }
    assert_equal 2, runs.size
    others.each { |project| assert_equal "1", value(project, "alpha") }
  end

  private

  # Uses a lock instead of a file, because a new file would be an input that changed.
  def open_gate = @closed.flock(File::LOCK_UN)

  def runs = File.exist?(@log) ? File.readlines(@log, chomp: true) : []
  def wait_for_runs(count) = Timeout.timeout(PATIENCE) { sleep 0.05 until runs.size >= count }

  def start(project)
    root = File.expand_path("../../..", __dir__)
    Process.spawn(project.env, "ruby", "--disable-gems", "-I#{root}/lib", "#{root}/exe/spate", "install",
                  chdir: project.folder, in: File::NULL, %i[out err] => project.path("log"))
  end

  # A zombie of another process counts as dead.
  def alive?(pid)
    !File.read("/proc/#{pid}/stat")[/\) (\w)/, 1].match?(/[ZX]/)
  rescue Errno::ENOENT, Errno::ESRCH
    false
  end
end
