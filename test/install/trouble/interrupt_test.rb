# frozen_string_literal: true

require "install/dozen_case"
require "support/hostile_archives"

# SIGINT and SIGTERM while fetching, unpacking and building.
class InterruptTest < DozenCase
  # Seconds: half of the time that the builds and responses would take without a signal.
  QUICKLY = 30

  def setup
    super
    @mark = File.join(folder, "mark")
    @source.add("slow", "1.0", native: true, files: { "lib/slow.rb" => "", "ext/slow/extconf.rb" => <<~RUBY })
      unless File.exist?("#{@mark}-quick")
        child = Process.spawn("sleep", "60")
        File.write("#{@mark}.new", "\#{Process.pid} \#{child}")
        File.rename("#{@mark}.new", "#{@mark}")
        sleep 60
      end
      #{EXTENSION}
    RUBY
  end

  def test_while_fetching
    project = dozen
    @source.fault("/gems/plain5-1.5.gem", :stall, bytes: 100)
    %i[INT TERM].each do |signal|
      @source.forget_requests
      interrupt(project, signal) { @source.requests.any? { |request| request.path == "/gems/plain5-1.5.gem" } }
    end
    @source.clear_faults
    assert_installs(project, *@full_names.grep_v(/slow/))
    assert_right(project)
  end

  def test_while_unpacking
    recipe = GemSource::Recipe.new("many", "1.0")
    @source.catalog.add(recipe, archive_of_many)
    project = app(gems: %w[many plain0])
    %i[INT TERM].each do |signal|
      interrupt(project, signal) { Dir.glob("#{project.home}/spate/store/v1/tmp/tree-*/data").any? }
      refute_includes children("#{project.bundle_root}/gems"), "many-1.0"
    end
    assert_installs(project, "many-1.0", "plain0-1.0")
    assert_equal 12_000, Dir.children("#{project.bundle_root}/gems/many-1.0/data").size
  end

  def test_while_building
    project = app(gems: %w[slow plain0])
    %i[INT TERM].each do |signal|
      FileUtils.rm_f(@mark)
      interrupt(project, signal) { File.exist?(@mark) }
      File.read(@mark).split.each { |pid| refute alive?(Integer(pid)), "process #{pid} of the build is left" }
    end
    FileUtils.touch("#{@mark}-quick")
    assert_installs(project, "plain0-1.0", "slow-1.0")
  end

  # Ruby starts slowly here, so that the signal arrives in time.
  def test_while_rubygems_is_queried
    project = app("asking", gems: %w[plain0], home: "home-asking", RUBYLIB: folder)
    write("rubygems.rb", <<~RUBY)
      asked = File.read("/proc/self/cmdline").include?("rubygems_script.rb")
      File.write("#{@mark}", Process.pid.to_s) if asked
      sleep
    RUBY
    interrupt(project, :INT) { File.size?(@mark) }

    refute_match(/Interrupt\b/, File.read(project.path("log")))
    refute alive?(Integer(File.read(@mark))), "the queried Ruby is still running"
  end

  # If a service manager stops the parent, the child receives no signal.
  def test_while_the_gemfile_is_evaluated
    project = app("evaluating", gems: %w[plain0], home: "home-evaluating")
    File.write(project.path("Gemfile"), "File.write(#{@mark.dump}, Process.pid.to_s); sleep\n", mode: "a")
    interrupt(project, :TERM) { File.size?(@mark) }

    refute alive?(Integer(File.read(@mark))), "the evaluating child is still running"
  end

  private

  # Sends SIGINT to the process group, like a terminal, and SIGTERM to the install only, like a service manager.
  def interrupt(project, signal)
    before = children("#{project.home}/spate/store/v1/packages")
    pid = start(project)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE
    until yield
      flunk "over too early:\n#{File.read(project.path("log"))}" if Process.wait(pid, Process::WNOHANG)
      assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC), :<, deadline, "it did not get that far"
      sleep 0.005
    end
    Process.kill(signal, signal == :INT ? -pid : pid)
    status = nil
    took = seconds { status = wait(pid) }

    assert_equal 130, status.exitstatus, File.read(project.path("log"))
    assert_match(/interrupted/, File.read(project.path("log")))
    assert_operator took, :<, QUICKLY
    assert_nothing_half(project, before)
  end

  def assert_nothing_half(project, before)
    assert_whole(project)
    assert_empty before - children("#{project.home}/spate/store/v1/packages")
  end

  def alive?(pid)
    state = File.read("/proc/#{pid}/stat")[/\) (\w)/, 1]
    state != "Z"
  rescue Errno::ENOENT
    false
  end

  def archive_of_many
    members = Array.new(12_000) { |number| HostileArchives::Tar.member("data/#{number}", "number #{number}") }
    HostileArchives::Gem.new(*members, metadata: HostileArchives::Gem.metadata(name: "many")).bytes
  end
end
