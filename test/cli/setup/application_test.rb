# frozen_string_literal: true

require "cli/cli_case"
require "json"
require "pty"
require "support/spate_command"

# `spate setup` in a Rails application, and --undo.
class SetupApplicationTest < CLICase
  GENERATED = File.expand_path("../../support/rails_new", __dir__)
  FILES = %w[bin/setup config/boot.rb Dockerfile .github/workflows/ci.yml].freeze
  ACTION = ".github/actions/setup-spate/action.yml"

  def setup
    super
    FileUtils.cp_r(GENERATED, app)
    write("app/Gemfile", "")
    write("app/config/application.rb", "")
  end

  def app = File.join(folder, "app")
  def run_setup(*options) = spate("setup", "--dir", "#{folder}/bin", *options, dir: app)
  def contents(root) = FILES.to_h { |path| [path, File.read("#{root}/#{path}")] }
  def original = contents(GENERATED)

  def test_without_a_terminal_it_writes_only_the_launcher
    result = run_setup

    assert_equal 0, result.status
    assert_match(/^this Rails application can use Spate in bin.setup, .*\nhint: `spate setup --dry-run`/, result.err)
    assert_equal original, contents(app)
    assert_path_exists "#{folder}/bin/spate"
  end

  def test_in_other_folders_it_offers_nothing
    refute_match(/application/, spate("setup", "--dir", "#{folder}/bin").err)
  end

  def test_dry_run_writes_nothing_and_its_output_is_a_patch
    result = run_setup("--dry-run")

    assert_equal [0, original], [result.status, contents(app)]
    refute_path_exists "#{folder}/bin/spate"
    File.write("#{folder}/patch", result.out)
    assert system("git", "apply", "../patch", chdir: app)
    patched = contents(app)
    FILES.each { |path| FileUtils.cp("#{GENERATED}/#{path}", "#{app}/#{path}") }
    run_setup("--yes")
    assert_equal patched, contents(app)
  end

  def test_yes_shows_and_writes_every_change_once
    result = run_setup("--yes")

    assert_equal [*FILES, ACTION].map { |path| "wrote #{path}" }, result.err.scan(%r{^wrote [^/].*})
    assert_includes result.err, "\n+  system(\"spate install\")"
    assert_equal File.stat("#{GENERATED}/bin/setup").mode, File.stat("#{app}/bin/setup").mode
    refute_match(%r{^wrote [^/]}, run_setup("--yes").err)
  end

  def test_undo
    run_setup("--yes")
    result = run_setup("--undo")

    assert_equal [0, original], [result.status, contents(app)]
    refute_path_exists "#{app}/.github/actions"
    assert_empty Dir.children("#{folder}/bin")
    assert_equal [0, ""], run_setup("--undo").to_a.values_at(0, 2)
  end

  def test_undo_as_a_dry_run
    run_setup("--yes")
    result = run_setup("--undo", "--dry-run")

    assert_includes result.out, "\n-  system(\"spate install\")"
    refute_equal original, contents(app)
    assert_equal 2, Dir.children("#{folder}/bin").size if Spate::CLI::Setup::FrontEnd.compiled
  end

  def test_undo_keeps_edited_files
    run_setup("--yes")
    File.write("#{app}/Dockerfile", "USER 7\n", mode: "a")
    result = run_setup("--undo")

    assert_equal 2, result.status
    assert_match(/^error: Dockerfile: edited after `spate setup`, so kept\nhint: /, result.err)
    assert_equal original.except("Dockerfile"), contents(app).except("Dockerfile")
    File.write("#{app}/Dockerfile", File.read("#{app}/Dockerfile").delete_suffix("USER 7\n"))
    assert_equal [0, original], [run_setup("--undo").status, contents(app)]
  end

  # A checkout of another branch has already restored them.
  def test_undo_skips_restored_files
    run_setup("--yes")
    FileUtils.cp("#{GENERATED}/Dockerfile", "#{app}/Dockerfile")

    refute_includes run_setup("--undo").err, "Dockerfile"
  end

  def test_undo_forgets_deleted_files
    run_setup("--yes")
    File.delete("#{app}/Dockerfile")
    result = run_setup("--undo")

    refute_path_exists "#{app}/Dockerfile"
    FileUtils.cp("#{GENERATED}/Dockerfile", app)
    assert_equal [0, original], [result.status, contents(app)]
  end

  def test_undo_in_a_moved_application_says_that_nothing_is_recorded
    run_setup("--yes")
    File.rename(app, "#{folder}/moved")
    result = spate("setup", "--undo", dir: "#{folder}/moved")

    assert_equal 0, result.status
    assert_match(%r{^warning: config/boot\.rb uses Spate, but no change to .*/moved is recorded\nhint: }, result.err)
    refute_equal original, contents("#{folder}/moved")
  end

  # Without a lock, one would overwrite the other's record.
  def test_changes_recorded_at_once
    stores = Array.new(8) { Spate::CLI::Setup::Record.new(Spate::Store.open(home: "#{folder}/home")) }
    changes = stores.each_index.map { |at| Spate::CLI::Setup::Change.new(app, "file#{at}", nil, "1") }
    pids = stores.zip(changes).map { |record, change| fork { record.add(change) } }
    pids.each { |pid| Process.wait(pid) }

    assert_equal changes.map(&:path), stores.first.changes(app).map(&:path).sort
  end

  # A later version of Spate changes a file that it has written.
  def test_record_of_two_changes_has_the_first_text
    record = Spate::CLI::Setup::Record.new(Spate::Store.open(home: "#{folder}/home"))
    [[nil, "1"], %w[1 2], %w[edited 3]].each.with_index do |(before, after), index|
      record.add(Spate::CLI::Setup::Change.new(app, "file", before, after))
      change, = record.changes(app)

      assert_equal [[nil, "1"], [nil, "2"], %w[edited 3]][index], [change.before, change.after]
    end
  end

  def test_undo_after_two_runs
    run_setup("--yes")
    File.write("#{app}/bin/setup", original["bin/setup"])
    run_setup("--yes")

    run_setup("--undo")
    assert_equal original, contents(app)
  end

  def test_json
    offered = run_setup("--json").out.lines.map { |line| JSON.parse(line) }
    shown = run_setup("--json", "--dry-run").out.lines.map { |line| JSON.parse(line) }
    run_setup("--yes", "--quiet")
    undone = run_setup("--json", "--undo").out.lines.map { |line| JSON.parse(line) }

    assert_equal [*FILES, ACTION], offered.select { |line| line["event"] == "setup_change" }.map { |line| line["path"] }
    assert(shown.all? { |line| line["diff"].start_with?("---") && line["written"] == false })
    assert_equal [*FILES, ACTION], undone.map { |line| line["path"] }.grep_v(%r{\A/})
  end

  def test_terminal_is_asked_for_each_change
    screen = on_terminal("y", "n", "", "yes", "n")

    assert_equal 5, screen.scan("Write this change to ").size
    changed = FILES.reject { |path| original[path] == File.read("#{app}/#{path}") }
    assert_equal %w[bin/setup .github/workflows/ci.yml], changed
  end

  def test_file_that_is_edited_during_the_questions_is_kept
    on_terminal("y", "n", "n", "n", "n") { File.write("#{app}/bin/setup", "# edited\n") }

    assert_equal "# edited\n", File.read("#{app}/bin/setup")
  end

  private

  # Runs it on a terminal, and types an answer after each question. Yields before each answer.
  def on_terminal(*answers)
    env = { "HOME" => folder, "SPATE_HOME" => "#{folder}/home", "CI" => nil, "TERM" => "xterm", "NO_COLOR" => "1" }
    command = [*Spate::SpateCommand.words, "setup", "--dir", "#{folder}/bin"]
    PTY.spawn(env, *command, chdir: app) do |output, input, pid|
      screen = +""
      answers.each do |answer|
        question = screen.size
        screen << output.readpartial(4096) until screen[question..].include?("[y/N]")
        yield if block_given?
        input.puts answer
      end
      screen << output.read
    rescue Errno::EIO # the end of a terminal's output
      Process.wait(pid)
      return screen
    end
  end
end
