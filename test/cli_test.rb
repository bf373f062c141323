# frozen_string_literal: true

require "cli/cli_case"
require "json"

class CLITest < CLICase
  # Runs a command that raises this error.
  def failing(error, *argv, **options)
    command = Class.new(Spate::CLI::Command) do
      common_options
      define_method(:run) { raise error }
    end
    Spate::CLI.const_set(:Failing, command)
    stubbed = Spate::CLI::COMMANDS.merge("failing" => :Failing)
    with_commands(stubbed) { spate("failing", *argv, **options) }
  ensure
    Spate::CLI.send(:remove_const, :Failing)
  end

  def with_commands(commands)
    original = Spate::CLI::COMMANDS
    replace(commands)
    yield
  ensure
    replace(original)
  end

  def replace(commands)
    Spate::CLI.send(:remove_const, :COMMANDS)
    Spate::CLI.const_set(:COMMANDS, commands)
  end

  def test_help_of_everything
    %w[help --help -h].each { |word| assert_snapshot "help", spate(word).out }
    assert_equal [0, ""], spate("help").to_a.values_at(0, 2)
    assert_snapshot "help", spate.out
  end

  # docs/commands.md contains the help texts; test/house/docs_test.rb compares them.
  Spate::CLI::COMMANDS.each_key do |name|
    define_method("test_help_of_#{name}") do
      result = spate(name, "--help")

      assert_equal result.out, spate("help", name).out unless name == "help"
      assert_operator result.out.lines.map { |line| line.chomp.length }.max, :<=, 110
      assert_equal 0, result.status
    end
  end

  def test_unknown_commands_and_options
    results = { "instal" => [], "install" => ["--frozne"], "elephant" => [], "store" => ["stauts"], "check" => ["now"],
                "--nonsense" => [], "--quiet" => ["list"] }.map do |name, argv|
      result = spate(name, *argv)
      assert_equal [2, ""], [result.status, result.out]
      "$ spate #{[name, *argv].join(" ")}\n#{result.err}"
    end

    assert_snapshot "usage-errors", results.join("\n")
  end

  def test_help_of_one_command_at_a_time
    { %w[install x] => "x", %w[store prune status] => "status", %w[install check] => "check" }.each do |words, odd|
      result = spate("help", *words)
      assert_equal [2, ""], [result.status, result.out], words
      assert_equal "error: `spate help` takes one command, got #{odd.inspect} after #{words.first}\n" \
                   "hint: spate help #{words.first}\n", result.err
    end
    assert_equal spate("help", "store").out, spate("help", "store", "prune").out
  end

  def test_relative_store_is_refused
    [[%w[--store here], {}], [[], { "SPATE_HOME" => "here" }]].each do |argv, env|
      result = spate("store", "path", *argv, env: env)

      assert_equal [9, ""], [result.status, result.out]
      assert_match(/is not an absolute path: "here"\nhint: .*#{folder}.*here$/, result.err)
    end
    refute_path_exists File.join(folder, "here")
  end

  def test_error_has_facts_then_details_then_the_hint
    error = Class.new(Spate::Error) { const_set(:EXIT_CODE, 8) }
    result = failing(error.new("rack-3.0 is damaged\e[2J", hint: "fetch it again", details: ["lib/rack.rb: got x"]))

    assert_equal 8, result.status
    assert_equal "error: rack-3.0 is damaged\\e[2J\n  lib/rack.rb: got x\nhint: fetch it again\n", result.err
  end

  def test_an_error_as_json_is_the_last_line
    result = failing(Spate::UsageError.new("no", hint: "yes"), "--json")

    assert_equal({ "event" => "error", "exit_code" => 2, "message" => "no", "hint" => "yes", "details" => [] },
                 JSON.parse(result.out.lines.last))
  end

  def test_a_bug_is_short_and_asks_for_a_report
    result = failing(NoMethodError.new("undefined method `x'"))

    assert_equal 1, result.status
    assert_match(/\Aerror: this is a bug in Spate #{Spate::VERSION}: NoMethodError: undefined/, result.err)
    assert_match(/^hint: please report it/, result.err)
    refute_match(/^ {4}\S+\.rb:\d+/, result.err)
    assert_match(/^ {4}\S+\.rb:\d+/, failing(NoMethodError.new("x"), "--verbose").err)
  end

  def test_file_system_error_is_not_a_bug
    result = failing(Errno::ENOSPC.new("/store"))

    assert_equal 9, result.status
    assert_equal "error: No space left on device - /store\n" \
                 "hint: free some space: `spate store status` shows the store's contents, `prune` shrinks it\n",
                 result.err
  end

  def test_closed_stdout_is_not_reported
    assert_equal [141, ""], failing(Errno::EPIPE.new).to_a.values_at(0, 2)
  end

  def test_version
    assert_match(/\Aspate #{Spate::VERSION} \((libdeflate|zlib) [\d.]+, ruby #{RUBY_VERSION}, /, spate("version").out)
    assert_equal Spate::VERSION, JSON.parse(spate("version", "--json").out).fetch("spate")
  end

  %w[INT TERM].each do |signal|
    define_method("test_#{signal.downcase}_ends_in_order") do
      script = write("wait.rb", <<~RUBY)
        require "spate"
        class Spate::CLI::Version
          def run
            puts "ready"
            $stdout.flush
            sleep 20
          ensure
            warn "cleaned up"
          end
        end
        exit Spate::CLI.start(["version"])
      RUBY
      reader, writer = IO.pipe
      pid = Process.spawn(RbConfig.ruby, "--disable-gems", "-I#{File.expand_path("../lib", __dir__)}", script,
                          out: writer, err: writer)
      writer.close
      assert_equal "ready\n", reader.gets
      Process.kill(signal, pid)

      assert_equal 130, Process.wait2(pid).last.exitstatus
      assert_equal "cleaned up\ninterrupted: completed steps are kept, nothing is half-done\n", reader.read
      reader.close
    end
  end
end
