# frozen_string_literal: true

require "install/dozen_case"

# Kills installs at random times. The next install must be correct.
class KillCase < DozenCase
  def rounds(count)
    bystander = dozen("bystander")
    assert_installs(bystander)
    @warm_seconds = seconds { assert_installs(dozen("warm")) }
    before = Spate::TreeComparison.snapshot(bystander.bundle_root)
    killed = Array.new(count) { |round| round(dozen("app#{round}"), round) }

    assert_operator killed.count(true), :>=, count / 5, "most installs had finished before they were killed"
    assert_equal before, Spate::TreeComparison.snapshot(bystander.bundle_root)
    assert_right(bystander)
  end

  # First removes the files that killed processes left below tmp/, as Spate does after a day.
  def assert_whole(project)
    Spate::Store::Sweep.new(project.store, now: Time.now + (2 * Spate::Store::Sweep::DAY)).call
    super
  end

  private

  # Uses an empty store in some rounds, the store of previous rounds in others. Returns whether the install was killed.
  def round(project, number)
    File.rename("#{project.home}/spate", "#{folder}/store-of-#{number}") if number.even?
    limit = number.even? ? calm_seconds : @warm_seconds
    killed = kill(project, rand(0.1..0.95) * limit)
    assert_installs(project, *@full_names)
    assert_right(project)
    assert_store_clean(project)
    killed
  end

  # Kills an install after some seconds, but not its child processes, which must notice this. Returns whether the
  # install was still running.
  def kill(project, seconds)
    pid = start(project)
    sleep seconds
    Process.kill(:KILL, pid)
    wait(pid).signaled?
  end
end
