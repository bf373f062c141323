# frozen_string_literal: true

require "cli/warm/warm_case"

# Why a command was not forked, as `spate warm status` prints it.
class WarmReasonTest < WarmCase
  INITIALIZER = "config/initializers/reason.rb"
  # {initializer: message}
  OBSTACLES = {
    "Thread.new { sleep }" => %r{the loaded application has a thread: #<Thread:.*/reason\.rb:1},
    "X_PIPE = IO.pipe" => %r{has an open pipe: descriptor \d+, opened at .*/reason\.rb:1\z},
    "X_ARGUMENTS = ARGV.dup" => %r{reads ARGV at .*/config/initializers/reason\.rb:1},
    "X_INPUT = $stdin.read" => /loading the application reads standard input/,
    "X_RAKE = defined?(Rake)" => /reason\.rb depends on whether Rake, RSpec or Minitest is defined/
  }.freeze

  def teardown
    FileUtils.rm_f(@app.path(INITIALIZER)) if @app
    super
  end

  def test_obstacles
    OBSTACLES.each do |text, message|
      @app.write(INITIALIZER, "#{text}\n")
      FileUtils.rm_rf("#{store}/warm")

      assert_match message, refused_status["refused"], text
    end
  end

  # The parent does not run bin/rails.
  def test_a_program_that_sets_variables_first
    text = File.read(@app.path("bin/rails"))
    @app.write("bin/rails", text.sub("APP_PATH", "ENV['STATE_VARIABLE'] = 'early'\nAPP_PATH"))

    assert_match %r{: bin/rails uses ENV or loads files before it loads the application\z}, refused_status["refused"]
    assert_equal show(SPATE_WARM: "0").out, show.out
  ensure
    @app&.write("bin/rails", text) if text
  end

  # Boots until the status has a reason for which there is no parent.
  def refused_status
    give_up = Time.now + PATIENCE
    loop do
      show
      found = await_parent(Time.now + 5)
      return found if found["refused"] || Time.now > give_up
    end
  end

  def test_the_program_is_an_input_if_it_is_read
    @app.write(INITIALIZER, "STATE_PROGRAM = $0.dup\n")
    warm_up

    assert_equal "bin/rails", spate("exec", "bin/rails", "runner", "print STATE_PROGRAM").out
    assert parent_of_command
    other = spate("exec", "./bin/rails", "runner", "print STATE_PROGRAM, ' ', Process.ppid").out.split

    assert_equal "./bin/rails", other.first
    refute_includes parents.map { |parent| parent["pid"] }, other.last.to_i
  end

  def test_the_last_boot_and_the_wait_of_the_next_parent
    warm_up
    @app.write("config/data.txt", "other")

    assert_booted_because("config/data.txt changed") { show }
    warm_up

    assert_booted_because("another value of STATE_VARIABLE") { show(STATE_VARIABLE: "1") }
    File.write(Dir.glob("#{store}/warm/*.lock").first.sub(/lock\z/, "attempts"), "....")

    assert_match(/application development nnn: no command has used the last parents; the next one is started in \d+ s/,
                 spate("warm", "status").out)
    spate("warm", "on")

    assert_empty status["pauses"]
  end

  # Waits for the reason of the block's boot. A background process writes it, perhaps after that of an earlier boot.
  def assert_booted_because(reason)
    yield
    give_up = Time.now + PATIENCE
    sleep 0.05 until status.dig("last_boot", "reason") == reason || Time.now > give_up

    assert_equal reason, status["last_boot"]["reason"]
  end

  def last_boot = Dir.glob("#{store}/warm/*.booted").map { |path| File.mtime(path) }
end
