# frozen_string_literal: true

require "resolve/resolve_case"

# kill -9, Ctrl-C and SIGTERM leave the old or the new text of a Gemfile and its lockfile, and no partial one.
class ResolveInterruptionsTest < ResolveCase
  COMMANDS = { "lock" => %w[lock], "update" => %w[update --all --skip-install],
               "add" => %w[add more --skip-install], "remove" => %w[remove leaf --skip-install] }.freeze
  MOMENTS = ENV["SPATE_TEST_FULL"] ? 25 : 2

  def setup
    super
    %w[base leaf more new].each { |name| source.add(name, "1.0") }
    @app = project("app", "source '#{source.url}'\ngem 'base'\ngem 'leaf'\n")
    @app.lock
    # Each command has to resolve.
    File.write(@app.path("Gemfile"), "gem 'new'\n", mode: "a")
    @before = contents(@app)
    source.add("base", "1.1")
  end

  COMMANDS.each do |name, words|
    %w[KILL INT].each do |signal|
      define_method("test_files_are_whole_after_#{signal.downcase}_of_#{name}") do
        started = now
        @app.spate!(*words)
        limit = now - started
        after = contents(@app)
        random = Random.new(Spate.test_seed)
        MOMENTS.times { end_at(random.rand * limit, signal, words, after) }
      end
    end
  end

  # `remove` has already changed the Gemfile then.
  def test_message_and_status_of_an_interrupted_command
    COMMANDS.each_value do |words|
      %w[INT TERM].each do |signal|
        restore
        output, status = interrupt_while_bundler_asks(signal, words)
        assert_equal 130, status.exitstatus, output
        assert_match(/^interrupted: completed steps are kept, nothing is half-done$/, output)
        assert_equal @before["Gemfile.lock"], contents(@app)["Gemfile.lock"]
        assert_equal @before["Gemfile"], contents(@app)["Gemfile"] unless words.first == "remove"
        assert_no_other_files
      end
    end
  end

  def test_files_of_killed_processes_are_removed
    dead = Process.spawn("true").tap { |pid| Process.wait(pid) }
    left = ["Gemfile.lock.#{dead}-0123456789abcdef", "Gemfile.#{dead}-0123456789abcdef.lock"]
    kept = ["Gemfile.lock.#{Process.pid}-0123456789abcdef", "Gemfile.lock.#{dead}-mine",
            "Other.#{dead}-0123456789abcdef"]
    young = "Gemfile.#{dead}-fedcba9876543210"
    (left + kept).each { |name| File.write(@app.path(name), "") && File.utime(0, 0, @app.path(name)) }
    File.write(@app.path(young), "")
    @app.spate!("lock")

    assert_empty left.select { |name| File.exist?(@app.path(name)) }
    assert_empty [*kept, young].reject { |name| File.exist?(@app.path(name)) }
  end

  private

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def restore = @before.each { |name, text| File.write(@app.path(name), text) }

  # The moment may be before the first write, between both files, or after the end.
  def end_at(seconds, signal, words, after)
    restore
    output, status = signalled(signal, words) { |ended| ended.join(seconds) }
    found = contents(@app)
    found.each { |name, text| assert_includes [@before[name], after[name]], text, "#{signal} after #{seconds}" }
    return if signal == "KILL"

    assert_includes [0, 130], status.exitstatus, output
    assert_no_other_files
  end

  # Runs the command in its own process group, calls the block with the thread that waits for it, and then sends the
  # signal. Returns [output, Process::Status]. The signal reaches it and its children, as Ctrl-C does on a terminal;
  # SIGTERM reaches only the command.
  def signalled(signal, words)
    reading, writing = IO.pipe
    pid = Process.spawn(@app.env, *Spate::SpateCommand.words, *words, chdir: @app.folder, pgroup: true,
                                                                      in: File::NULL, %i[out err] => writing)
    writing.close
    ended = Process.detach(pid)
    yield ended
    Process.kill(signal, signal == "TERM" ? pid : -pid) if ended.alive?
    [reading.read, ended.value]
  rescue Errno::ESRCH
    [reading.read, ended.value]
  ensure
    reading.close
  end

  def interrupt_while_bundler_asks(signal, words)
    source.forget_requests
    held = true
    source.fault(/./, :delay, until: -> { !held })
    FileUtils.rm_rf("#{@app.home}/spate/index")
    signalled(signal, words) do |ended|
      sleep 0.01 until source.requests.any? || !ended.alive?
    end
  ensure
    held = false
    source.clear_faults
  end

  def assert_no_other_files = assert_equal(%w[Gemfile Gemfile.lock], Dir.children(@app.folder).sort - ["vendor"])
end
