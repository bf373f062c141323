# frozen_string_literal: true

require "cli/front/stale_case"
require "spate/tracer"

# InPlace::Recorder, the background process that repeats a command, writes its record or the reason why there is none.
class RecorderTest < StaleCase
  HEADER = 88

  def record_name = Spate::CLI::InPlace.key(dir, nil, [ruby, "install"])

  # Runs the background process in the foreground. start: options of Ruby, or the script.
  def record_now(*start)
    start = [Spate::CLI::InPlace::SCRIPT] if start.empty?
    FileUtils.rm_f(records)
    load_path = $LOAD_PATH.grep(%r{/lib\z}).flat_map { |place| ["-I", place] }
    words = [ruby, "#{store}/in-place/#{record_name}", dir, "1", dir, "install"]
    run_program(RbConfig.ruby, "--disable-gems", *load_path, *start, *words, pgroup: true)
  end

  def test_repeated_command_changes_nothing
    record_now
    assert_operator File.size(record), :>, HEADER
    FileUtils.rm_rf(path("vendor"))
    record_now

    refute_path_exists path("vendor"), "the user has removed the bundle"
    assert_match(/failed/, File.binread(record))
    @project.spate!("install")
    File.write(path("Gemfile"), "source '#{@source.url}'\n")
    before = state
    record_now

    assert_equal before, state, "the user has edited the Gemfile"
    assert_operator File.size(record), :<, HEADER
  end

  def test_one_process_records_at_a_time
    File.open("#{store}/locks/in-place.lock", File::RDWR | File::CREAT) do |lock|
      lock.flock(File::LOCK_EX)
      record_now

      assert_empty records
    end
    record_now

    assert_equal "SPATEIP3", File.binread(record, 8)
  end

  LIMITED = <<~RUBY
    require "spate"
    require "spate/inputs"
    require "spate/tracer"
    recorder = Spate::CLI::InPlace::Recorder.new(ARGV[0], ARGV[1], [], %w[install], ENV)
    recorder.limit(1)
    recorder.call
  RUBY

  def test_time_limit_of_a_command_that_waits
    File.open("#{store}/locks/store.lock", File::RDWR) do |lock|
      lock.flock(File::LOCK_EX)

      assert_nil record_now("-e", LIMITED).last, "it ends by a signal"
      assert_equal "it took more than 1 s", File.binread(record)
    end
  end

  def test_a_failure_of_the_tracer_or_a_path_leaves_its_reason
    # A link to itself cannot be followed, and is not missing either.
    File.symlink("gems.rb", path("gems.rb"))
    record_now

    assert_operator File.size(record), :<, HEADER
  end

  # Edits the Gemfile after the first repetition.
  CHANGING = <<~RUBY
    require "spate"
    require "spate/inputs"
    require "spate/tracer"
    recorder = Spate::CLI::InPlace::Recorder.new(ARGV[0], ARGV[1], [], %w[install], ENV)
    recorder.define_singleton_method(:repeat) do |*words|
      super(*words)
      File.write("Gemfile", File.read("Gemfile")) unless @changed
      @changed = true
    end
    recorder.call
  RUBY

  def test_another_attempt_after_a_change
    record_now("-e", CHANGING)

    assert_equal "SPATEIP3", File.binread(record, 8), File.binread(record)[0, 200]
  end

  # Replaces the application's folder after the repetition. The new files are older than the trace.
  MOVING = CHANGING.sub(/File.write\(.*\)/, <<~'RUBY'.chomp)
    [["", ".old"], [".new", ""]].each { |from, to| File.rename(*[from, to].map { |end_| "#{ARGV[2]}#{end_}" }) }
  RUBY

  def test_another_folder_in_the_place_of_the_application
    FileUtils.cp_r(dir, "#{dir}.new", preserve: true)
    File.write("#{dir}.new/Gemfile", "source '#{@source.url}'\ngem 'absent'\n")
    record_now("-e", MOVING)

    refute answered?, "the Gemfile has another gem"
    assert_operator File.size(record), :<, HEADER
  end

  def test_oldest_records_are_removed
    FileUtils.rm_f(records)
    sizes = { "old" => [1, 31], "large" => [200 << 20, 2], "small" => [1, 1], "second" => [60 << 20, 3] }
    sizes.each do |file, (size, days)|
      path = "#{store}/in-place/#{file}"
      File.write(path, "")
      File.truncate(path, size)
      File.utime(time = Time.now - (days * 86_400), time, path)
    end
    recorder = Spate::CLI::InPlace::Recorder.new(ruby, "#{store}/in-place/#{record_name}", [dir], %w[install], ENV)
    recorder.send(:keep, "reason")

    assert_equal [record_name, "large", "small"].sort, Dir.children("#{store}/in-place").sort
  end

  # `Gemfile-color` is the value of --gemfile and not the option --color. The recorder must still add --color, and
  # reject the output, which has colours then.
  def test_colours_behind_another_option
    FileUtils.cp(path("Gemfile"), path("Gemfile-color"))
    FileUtils.cp(path("Gemfile.lock"), path("Gemfile-color.lock"))
    File.write(Dir.glob(path("vendor/bundle/ruby/*/gems/base-*/lib/base.rb")).first, "BASE = 2\n")
    words = %w[check --gemfile Gemfile-color]
    FileUtils.rm_f(records)
    assert_equal 0, run_program(ruby, *words).last

    assert_match(/colours/, File.binread(record))
  end

  # `learn` sets the mtime of the record to an hour from now.
  def test_record_of_a_wrong_clock_is_replaced
    assert_equal [ruby], programs(ruby, "install")
    File.utime(late = Time.now + (2 * 86_400), late, record)

    refute_equal [ruby], programs(ruby, "install")
    assert_operator File.mtime(record), :<=, Time.now
  end

  def test_all_variables_count_if_a_program_was_not_traced
    traced, untraced = [[">#{File.realpath("/bin/sh")}", [:hooked]], ["$TERM", [:named]]].then do |names|
      [names, []].map { |more| Spate::Tracer::Trace.new([["/bin/sh", [:run]], *more], asked: 0, value: nil) }
    end

    refute_includes Spate::CLI::InPlace.ignored(traced), "TERM"
    assert_includes Spate::CLI::InPlace.ignored(traced), "PWD"
    assert_empty Spate::CLI::InPlace.ignored(untraced)
  end

  def test_link_without_target
    target = user("settings")
    FileUtils.mkdir_p(user(".bundle"))
    File.symlink(target, user(".bundle/config"))
    learn
    File.write(target, "---\nBUNDLE_RETRY: \"2\"\n")

    refute answered?, "the target has appeared"
    File.unlink(target)

    assert answered?
    File.unlink(user(".bundle/config"))

    refute answered?, "the link is removed"
  end

  def test_no_process_without_background
    FileUtils.rm_r(File.dirname(record))
    [{ "SPATE_BOOT_BACKGROUND" => "0" }, { "CI" => "1" }, { "SPATE_READONLY" => "1" }].each do |env|
      assert_equal [ruby], programs(ruby, "install", env: env), env
      refute_path_exists store("in-place")
    end
  end
end
