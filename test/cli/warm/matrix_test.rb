# frozen_string_literal: true

require "cli/warm/warm_case"
require "support/warm_matrix"
require "support/warm_record"

# After each change of what a boot reads, the front end does not use the application's parent, and a command that is
# forked from a framework parent sees the change. By default a sample of the changes.
class WarmMatrixTest < WarmCase
  SAMPLE = 60
  # Of the changes with a framework parent. Each command loads the application.
  FRAMEWORK_SAMPLE = 12
  # A documented difference: the kernel shows the environment of the parent, also to code that is loaded in a command.
  PARENTS_OWN = %r{\A/proc/self/environ: .*of a session}
  SHOWN = "matrix_show.rb"
  INITIALIZER = "config/initializers/matrix.rb"

  def test_no_change_is_missed
    @cases = chosen
    prepare
    warm_up
    before = values
    assert parent_of_command, spate("warm", "status").out
    assert_effects(before)
    old = without_new_parents do
      control
      @cases.reject { |one| detected?(one) }
    end

    assert_empty old.map(&:name), "outdated values would be used after these of #{@cases.size} changes"
  ensure
    clean_up if @cases
  end

  def test_no_change_is_missed_with_a_framework_parent
    @cases = chosen(FRAMEWORK_SAMPLE) { |one| !one.name.match?(PARENTS_OWN) }
    prepare("$obstacle = IO.pipe\n")
    assert_equal(["framework development"], warm_up.map { |parent| parent["kind"] })
    after = assert_effects(values)
    @forked = 0
    old = @cases.reject { |one| loaded?(one, after[one.name]) }

    assert_operator @forked, :>=, @cases.size / 2, "forked commands"
    assert_empty old.map(&:name), "outdated values would be used after these of #{@cases.size} changes"
  ensure
    clean_up if @cases
  end

  private

  def chosen(size = SAMPLE, &)
    all = Spate::WarmMatrix.new.cases
    all = all.select(&) if block_given?
    all = all.select { |one| one.name.match?(ENV["MATRIX_ONLY"]) } if ENV["MATRIX_ONLY"]
    return all if ENV["SPATE_TEST_FULL"] || ENV["MATRIX_ONLY"]

    all.sample(size, random: Random.new(Minitest.seed))
  end

  def hands(one) = Spate::WarmMatrix::Hands.new(@app.folder, one.folder)

  # obstacle: Ruby that the application runs while it is loaded.
  def prepare(obstacle = "")
    @kept = @cases.flat_map { |one| one.more.to_a }.uniq.to_h { |path| [path, read(path)] }
    clean_up
    @cases.each { |one| restore(one) }
    late, early = @cases.partition(&:late)
    libraries = %w[yaml json erb stringio].map { |name| "require '#{name}'\n" }
    @app.write(INITIALIZER, "#{obstacle}#{libraries.join}MATRIX = #{ruby(early)}")
    @app.write(SHOWN, "MATRIX.update(#{ruby(late)})\nprint [Marshal.dump([MATRIX, Process.ppid])].pack('m0')\n")
  end

  def read(path) = (File.read(@app.path(path)) if File.file?(@app.path(path)))

  # A Hash of the cases' values.
  def ruby(cases)
    lines = cases.map { |one| "#{one.name.dump} => proc { #{one.value.gsub("@", one.folder)} }," }
    "{ #{lines.join("\n")} }.transform_values do |value|\n  value.call.inspect\n" \
      "rescue SystemCallError, StandardError, LoadError, SyntaxError => e\n  e.class.name\nend\n"
  end

  def restore(one)
    remove(one)
    one.files.each { |name, what| hands(one).put(name, what) if what }
    one.more.to_a.each { |path| File.write(@app.path(path), @kept[path]) if @kept[path] && read(path) != @kept[path] }
  end

  def clean_up
    FileUtils.rm_rf([@app.path("cases"), @app.path(INITIALIZER), @app.path(SHOWN)])
    @cases.each do |one|
      restore(one)
      remove(one)
    end
  end

  # Also the folders that are empty without its files.
  def remove(one)
    one.roots.reject { |root| @kept[root] }.each do |root|
      FileUtils.rm_rf(@app.path(root))
      FileUtils.rmdir(@app.path(File.dirname(root)), parents: true)
    rescue SystemCallError
      next # not empty
    end
  end

  def env(more = {}) = super(variables(0).merge(more))

  def variables(which)
    (@cases || []).map { |one| one.env && one.env[which] }.compact.reduce({}, :merge).transform_keys(&:to_sym)
  end

  def show(**more) = spate("exec", "bin/rails", "runner", SHOWN, **more)

  def values(**more) = shown(**more).first

  # [{name => value}, id of the parent process]
  def shown(**more)
    result = show(**more)

    assert_equal 0, result.code, result.err
    Marshal.load(result.out.unpack1("m0")) # rubocop:disable Security/MarshalLoad
  end

  # Each change shows in a boot. Returns the values after all changes.
  def assert_effects(before)
    @cases.each { |one| one.change&.call(hands(one)) }
    after = values(SPATE_WARM: "0", **variables(1))
    @cases.each { |one| restore(one) }

    assert_empty @cases.map(&:name).select { |name| before[name] == after[name] }, "changes without effect"
    after
  end

  def detected?(one)
    one.change&.call(hands(one))
    good = boots?(one.env ? one.env[1].transform_keys(&:to_sym) : {}) || (one.late && loaded_later?(one))
    restore(one)
    control(one.name)
    good
  end

  # Whether a command sees this change: the same value as after all changes, or as in a boot.
  def loaded?(one, value)
    warm_up
    one.change&.call(hands(one))
    env = one.env ? one.env[1].transform_keys(&:to_sym) : {}
    found, parent = shown(**env)
    @forked += 1 if parents.any? { |each| each["pid"] == parent }
    found[one.name] == value || found[one.name] == values(SPATE_WARM: "0", **env)[one.name]
  ensure
    restore(one)
  end

  def loaded_later?(one)
    booted, forked = %w[0 1].map { |value| values(SPATE_WARM: value)[one.name] }
    booted == forked
  end

  # Holds the locks of the processes that start parents. A command that boots offers its application for a parent, which
  # would replace the one of the test, if the command is not ended before, on a busy machine.
  def without_new_parents
    locks = Dir.glob("#{store}/warm/*.lock").map { |path| File.open(path) }
    locks.each { |lock| lock.flock(File::LOCK_EX) }
    yield
  ensure
    locks&.each(&:close)
  end

  # The restored files count as unchanged.
  def control(name = nil)
    @record ||= Spate::WarmRecord.new(parents.first["record"], @app.folder)
    @record.refresh

    # A parent that does not answer in time, on a busy machine, is not used.
    assert Array.new(3).any? { !boots?({}) },
           "the parent is not used although nothing has changed, after #{name}: #{spate("warm", "status").out}"
  end

  # Runs the command and returns whether it starts Ruby, which is then ended.
  def boots?(more)
    command = [@app.env(env(more).transform_keys(&:to_s)), "#{@bin}/spate", "exec", "bin/rails", "runner", "exit!(7)"]
    pid = Process.spawn(*command, chdir: @app.folder, close_others: true,
                                  in: File::NULL, out: File::NULL, err: File::NULL)
    front = File.realpath("#{@bin}/spate")
    until Process.wait(pid, Process::WNOHANG)
      unless [front, nil].include?(program(pid))
        Process.kill(:KILL, pid)
        Process.wait(pid)
        return true
      end
      sleep 0.002
    end
    assert_equal 7, $?.exitstatus
    false
  end

  # nil: it is ending.
  def program(pid)
    File.readlink("/proc/#{pid}/exe")
  rescue SystemCallError
    nil
  end
end
