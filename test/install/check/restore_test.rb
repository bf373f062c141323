# frozen_string_literal: true

require "install/dozen_case"

# `spate restore` when it is killed, on a full disk, and at the same time as other processes.
class RestoreTest < DozenCase
  def setup
    super
    @project = dozen("app")
    assert_installs(@project)
  end

  # A killed restore is like an unfinished install, which the next one completes.
  def test_kill_at_any_moment
    bystander = dozen("bystander").tap { |project| assert_installs(project) }
    limit = seconds { @project.spate!("restore", "--all") }
    before = Spate::TreeComparison.snapshot(bystander.bundle_root)
    killed = Array.new(6) do |round|
      edit(@project, through_link: false)
      pid = start(@project, "--all", command: "restore")
      sleep(limit * (round + 1) / 8)
      Process.kill(:KILL, pid)
      wait(pid).signaled?
    end
    assert_includes killed, true
    assert_installs(@project, *@full_names)
    @project.spate!("restore", "--all")
    assert_right(@project)
    assert_equal before, Spate::TreeComparison.snapshot(bystander.bundle_root)
    assert_store_clean(@project)
  end

  # On failure the previous files are put back, including edits.
  def test_a_full_disk
    @source.add("large", "1.0", files: { "lib/large.rb" => "LARGE = 1\n", "lib/data" => Random.new(1).bytes(3 << 20) })
    disk = mount("#{folder}/disk", "size=28m,mode=755")
    project = app("disk/small", gems: %w[large], home: "disk/home", SPATE_COPY: "1")
    assert_installs(project, "large-1.0")
    file = "#{project.bundle_root}/gems/large-1.0/lib/large.rb"
    File.write(file, "EDITED = 1\n")
    before = Spate::TreeComparison.snapshot(project.bundle_root)
    fill(disk, 1 << 20)
    output, status = project.spate("restore", "large")
    assert_equal 9, status.exitstatus, output
    assert_match(/^hint: /, output)
    assert_equal before, Spate::TreeComparison.snapshot(project.bundle_root)

    File.unlink("#{disk}/filler")
    project.spate!("restore", "large")
    assert_equal "LARGE = 1\n", File.read(file)
    assert_whole(project)
  end

  # Restores, installs and checks in projects that share all their files.
  def test_eight_at_once
    projects = Array.new(4) { |number| dozen("app#{number}").tap { |project| assert_installs(project) } }
    edit(projects.first)
    commands = [%w[--all restore], %w[install], %w[check], %w[plain1 restore]]
    running = (projects.zip(commands) * 2).each_with_index.map do |(project, (*options, command)), number|
      start(project, *options, command: command, log: "#{folder}/log-#{number}")
    end
    running.each_with_index do |pid, number|
      assert_equal 0, wait(pid).exitstatus, File.read("#{folder}/log-#{number}")
    end
    projects.each do |project|
      project.spate!("restore", "--all")
      assert_right(project)
    end
    assert_store_clean(projects.first)
  end

  # First removes the files that killed processes left below tmp/, as Spate does after a day.
  def assert_whole(project)
    Spate::Store::Sweep.new(project.store, now: Time.now + (2 * Spate::Store::Sweep::DAY)).call
    super
  end

  private

  # Edits three files of a gem: through the links, so that the edit is in every bundle, or as new files.
  def edit(project, through_link: true)
    files = Dir.glob("#{project.bundle_root}/gems/plain1-*/lib/**/*.rb").first(3)
    files.each do |file|
      File.unlink(file) unless through_link
      File.write(file, "EDITED = #{rand}\n", mode: through_link ? "r+" : "w")
    end
  end

  # Fills the disk, except for `left` bytes.
  def fill(disk, left)
    File.open("#{disk}/filler", "wb") do |file|
      free = `df --output=avail -B1 #{disk}`.lines.last.to_i
      file.write("x" * (free - left))
    end
  end
end
