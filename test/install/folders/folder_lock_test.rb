# frozen_string_literal: true

require "test_helper"

# Only one process at a time changes a folder. Others wait, except its child processes.
class FolderLockTest < Minitest::Test
  LOCK = Spate::Install::FolderLock

  def setup
    super
    folder
    @said = []
    @events = Spate::Events.new.subscribe { |event| @said << event[:message] }
  end

  def test_long_wait_is_reported
    held_for(0.5) { take(patience: 0.1) }

    assert_equal ["waiting for another spate process that is using #{File.realpath(folder)}"], @said
  end

  def test_short_wait_is_not_reported
    held_for(0.1) { take(patience: 60) }
    take

    assert_empty @said
  end

  def test_child_process_of_the_holder_does_not_wait
    env = LOCK.variables(File.realpath(folder), LOCK.variables("/another", {}))
    error = held_for(60) { assert_raises(Spate::Install::HeldError) { take(env: env) } }

    assert_match(/#{folder} is locked by the spate process that runs this script/, error.message)
    take(env: env)
  end

  private

  def take(**options) = File.open(folder) { |file| LOCK.acquire(file, @events, **options) }

  def held_for(seconds)
    read, write = IO.pipe
    pid = fork do
      File.open(folder) do |file|
        file.flock(File::LOCK_EX)
        write.puts
        sleep seconds
      end
      exit!
    end
    read.gets
    yield
  ensure
    Process.kill(:KILL, pid)
    Process.wait(pid)
    [read, write].each(&:close)
  end
end
