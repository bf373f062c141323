# frozen_string_literal: true

require "cli/warm/warm_case"

# A command that is forked from a warm parent behaves like one that boots.
class WarmCommandTest < WarmCase
  PROGRAMS = {
    "status" => "exit 3", "an exception" => "raise 'x'", "abort" => "abort 'bye'",
    "a signal" => "Process.kill(:TERM, $$); sleep", "exit!" => "at_exit { puts 1 }; exit!(5)",
    "handlers" => "at_exit { puts 1; exit 4 }; at_exit { puts 2 }",
    "a finalizer" => "ObjectSpace.define_finalizer(+'x', proc { puts :f })",
    "a temporary file" => "require 'tempfile'; $t = Tempfile.new; $t.write('x'); print File.exist?($t.path)",
    "buffered output" => "$f = File.open('tmp.out', 'w'); $f.write('x'); at_exit { print $f.fileno }",
    "a thread" => "Thread.new { begin; sleep; ensure; puts :e; end }; Thread.pass; sleep 0.1",
    "its streams" => "print [$stdin.read, $stdout.tty?, $stderr.tty?]",
    "signals" => "print %w[INT TERM HUP USR1].map { |s| trap(s, 'DEFAULT') }",
    "descriptors" => "print Dir.children('/proc/self/fd').size"
  }.freeze

  def test_a_forked_command_is_as_a_booted_one
    warm_up
    assert parent_of_command
    PROGRAMS.each do |name, text|
      cold, warm = %w[0 1].map { |value| spate("exec", "bin/rails", "runner", text, SPATE_WARM: value) }

      # Zeitwerk has replaced Kernel#require in the parent, so backtraces differ.
      assert_equal(*[cold, warm].map { |result| [result.code, result.out, result.err.lines.first] }, name)
    end
    assert parent_of_command, "the parent still runs"
  ensure
    FileUtils.rm_f(@app.path("tmp.out")) if @app
  end

  def test_other_descriptors_are_passed
    warm_up
    first = File.readlines(@app.path("Gemfile")).first
    [6, 7, 300].each do |number| # the parent may use some of the lower ones
      words = ["exec", "bin/rails", "runner", "print IO.for_fd(#{number}).gets, Process.ppid"]
      out = File.open(@app.path("Gemfile")) { |file| spate(*words, descriptors: { number => file }).out }

      assert out.start_with?(first), number
      assert_includes parents.map { |parent| parent["pid"] }, out.lines.last.to_i if number == 300
    end
  end

  def test_seeds_differ
    warm_up

    refute_equal(*Array.new(2) { spate("exec", "bin/rails", "runner", "print Random.rand").out })
  end

  def test_off_ends_the_parent
    pid = warm_up.first["pid"]
    spate("warm", "off")
    give_up = Time.now + PATIENCE
    sleep 0.05 while File.exist?("/proc/#{pid}") && Time.now < give_up

    refute_path_exists "/proc/#{pid}"
  end

  def test_off_while_a_parent_is_made
    warm_up
    @app.write("config/initializers/slow.rb", "sleep 1 if File.exist?('slow')\n")
    FileUtils.touch(@app.path("slow"))
    show
    give_up = Time.now + PATIENCE
    sleep 0.02 until made? || Time.now > give_up
    spate("warm", "off")
    sleep 0.05 while made? && Time.now < give_up

    assert_empty parents
  ensure
    FileUtils.rm_f([@app.path("slow"), @app.path("config/initializers/slow.rb")]) if @app
  end

  def test_a_killed_parent_harms_nothing
    warm_up.each { |parent| Process.kill(:KILL, parent["pid"]) }
    result = show

    assert_equal 0, result.code, result.err
    assert_empty result.err
  end

  def test_thirty_two_at_once
    warm_up
    threads = Array.new(32) do |number|
      Thread.new { spate("exec", "bin/rails", "runner", "print #{number}; exit #{number}") }
    end
    results = threads.map(&:value)

    assert_equal((0..31).map { |n| [n.to_s, n] }, results.map { |result| [result.out, result.code] })
  end

  def test_none_with_ci_or_in_production
    warm_up

    assert_nil parent_of_command(CI: "1")
    assert_nil parent_of_command(RAILS_ENV: "production")
  end
end
