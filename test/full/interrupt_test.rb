# frozen_string_literal: true

require "install/dozen_case"

# Interrupts installs at random times, with SIGINT and SIGTERM in turn. The next install must be correct.
class ManyInterruptsTest < DozenCase
  ROUNDS = 20

  def test_twenty_interrupts
    interrupted = Array.new(ROUNDS) { |number| round(dozen("app#{number}"), %i[INT TERM][number % 2]) }

    assert_operator interrupted.count(true), :>=, ROUNDS / 4
  end

  private

  def round(project, signal)
    used = "#{project.home}/spate"
    File.rename(used, "#{folder}/store-before-#{File.basename(project.folder)}") if File.exist?(used)
    pid = start(project)
    sleep rand(0.15..1.0) * calm_seconds
    Process.kill(signal, signal == :INT ? -pid : pid)
    status = wait(pid, 30)
    assert_whole(project) if status.exitstatus == 130
    assert_installs(project, *@full_names)
    assert_right(project)
    assert_store_clean(project)
    status.exitstatus == 130
  end
end
