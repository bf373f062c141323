# frozen_string_literal: true

require "install/build_case"

# An install is killed while a build is traced or its inputs are recorded. No partial record may be used, the next
# install must be correct, and neither a process nor a folder may be left.
class BuildKillTest < InstallBuildCase
  # Kills the process before its nth call that changes the disk, counted from the end of the build. Otherwise writes the
  # number of these calls to a file at exit.
  DEADLY = <<~'RUBY'
    count = 0
    changes = %%i[rename unlink mkdir write syswrite write_manifest adopt link utime flock]
    TracePoint.new(:c_call) do |call|
      next unless changes.include?(call.method_id) && call.path.include?("/lib/spate/") && File.exist?(%<over>p)

      Process.kill(:KILL, $$) if (count += 1) == %<step>d
    end.enable
    at_exit { File.write(%<told>p, count.to_s) }
  RUBY
  # The number of tested moments.
  MOMENTS = ENV["SPATE_TEST_FULL"] ? 1000 : 6

  def setup
    super
    @file = write("file", "1")
    @gates = %w[configuring making].to_h { |name| [name, File.open(write(name, ""))] }
    wait = @gates.transform_values { |gate| "(trap '' TERM; flock -s #{gate.path} true)" }
    native("alpha", extconf: "$defs << \"-DFLAVOUR=\#{File.read('#{@file}')}\"\n" \
                             "system(\"#{wait["configuring"]}\")", value: "FLAVOUR",
                    files: { "ext/alpha/depend" => "alpha.o: wait\nwait:\n\t#{wait["making"]}\n" })
  end

  def teardown
    @gates.each_value(&:close)
    super
  end

  def test_kill_while_a_build_is_recorded
    steps = kill_at(0, another("alpha"))
    assert_operator steps, :>, 10
    points = (1..steps).to_a
    points.each_slice([steps / MOMENTS, 1].max) { |slice| killed_at(slice.sample(random: Random.new(Spate.test_seed))) }
  end

  %w[configuring making].each do |moment|
    define_method("test_while_it_is_#{moment}") do
      @gates[moment].flock(File::LOCK_EX)
      pid = start(project = another("alpha"))
      Timeout.timeout(PATIENCE) { sleep 0.02 until processes.any? { |line| line.start_with?("flock -s #{folder}") } }
      Process.kill(:KILL, pid)
      Process.wait(pid)
      Timeout.timeout(PATIENCE) { sleep 0.02 until processes.empty? }
      @gates[moment].flock(File::LOCK_UN)
      assert_right(project, moment)
    end
  end

  private

  def killed_at(step)
    FileUtils.rm_rf("#{folder}/home/spate")
    kill_at(step, project = another("alpha"))
    assert_right(project, "step #{step}")
    FileUtils.rm_rf(Dir.glob("#{folder}/app*"))
  end

  # Returns the number of calls; nil if the process was killed.
  def kill_at(step, project)
    over = "#{project.bundle_root}/extensions/#{Gem::Platform.local}/#{Gem.extension_api_version}/alpha-1.0/" \
           "gem.build_complete"
    told = project.path("steps")
    deadly = write("deadly.rb", format(DEADLY, over: over, step: step, told: told))
    Process.wait(start(project, "-r#{deadly}"))
    assert_equal !step.zero?, $?.signaled?, "step #{step}: #{File.read(project.path("log"))}"
    step.zero? ? File.read(told).to_i : nil
  end

  def start(project, *options)
    root = File.expand_path("../../..", __dir__)
    Process.spawn(project.env, "ruby", "--disable-gems", *options, "-I#{root}/lib", "#{root}/exe/spate", "install",
                  chdir: project.folder, in: File::NULL, %i[out err] => project.path("log"))
  end

  # Command lines of all processes that run in the test's folder or contain its path.
  def processes
    Dir.glob("/proc/[0-9]*").filter_map do |process|
      line = File.read("#{process}/cmdline").tr("\0", " ")
      line if process != "/proc/#{$$}" && (line.include?(folder) || File.readlink("#{process}/cwd").start_with?(folder))
    rescue SystemCallError
      nil
    end
  end

  # Checks the killed project, a project with a changed input, and one with the same input.
  def assert_right(project, moment)
    Timeout.timeout(PATIENCE, nil, moment) { sleep 0.02 until processes.empty? }
    File.write(@file, "2")
    install(other = another("alpha"))
    File.write(@file, "1")
    [project, third = another("alpha")].each { |one| install(one) }
    assert_equal %w[1 2 1], [project, other, third].map { |one| value(one, "alpha") }, moment
    assert_equal [[], %w[alpha]], install(another("alpha")), "#{moment}: #{reasons}"
    assert_empty warnings
    assert_store_clean(project)
    Spate::Store::Sweep.new(project.store, now: Time.now + (2 * Spate::Store::Sweep::DAY)).call
    [project, other, third].each { |one| assert_whole(one) }
    assert_empty Dir.glob("#{project.home}/spate/store/v1/**/*.tmp")
  end
end
