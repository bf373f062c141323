# frozen_string_literal: true

require "cli/front/warm/client_case"

# Signals, job control and exit of a command that runs in a child of its warm parent.
class WarmClientSignalsTest < WarmClientCase
  FORWARDED = %w[HUP INT QUIT TERM USR1 USR2 ALRM WINCH CONT TSTP].freeze
  FATAL = %w[TERM KILL ALRM INT QUIT PIPE USR1].freeze

  # Starts a parent whose children call the block with the client's stdout.
  def running(**options)
    parent(**options) do |connection|
      connection.run_child(connection.request) { |request| yield request.streams[1], request }
    end
  end

  # Starts a parent whose children print each signal and do not exit. They print a line when the traps are set.
  def trapping(signals = FORWARDED, **options)
    running(**options) do |out, request|
      signals.each { |name| trap(name) { out.syswrite("#{name}\n") } }
      out.syswrite("ready #{request.words.last}\n")
      sleep
    end
  end

  # HUP is ignored if the tests run below nohup, QUIT if a script started them in the background.
  def spawn_command(before: %w[env --default-signal=HUP,QUIT], out: File::NULL)
    Process.spawn(variables, *before, front, "exec", "rails", "runner", "1", chdir: app, unsetenv_others: true,
                                                                             close_others: true, out: out)
  end

  # Starts a command. Yields its process id and its output.
  def start(**options)
    reader, writer = IO.pipe
    pid = spawn_command(out: writer, **options)
    writer.close
    assert_equal "ready 1\n", line(reader)
    yield pid, reader
  ensure
    finish(pid)
    reader.close
  end

  def finish(pid)
    Process.kill(:KILL, pid)
    Process.wait(pid)
  rescue SystemCallError
    nil # it has ended
  end

  def line(reader)
    reader.wait_readable(PATIENCE) or flunk "nothing was printed for #{PATIENCE} s, after #{@last.inspect}"
    @last = reader.gets
  end

  def test_each_signal_is_forwarded
    trapping
    start do |pid, reader|
      FORWARDED.each do |name|
        Process.kill(name, pid)
        assert_equal "#{name}\n", line(reader)
      end
    end
  end

  # INT is never ignored, as with `spate exec`.
  def test_ignored_signals_are_not_forwarded
    trapping
    start(before: %w[env --ignore-signal=HUP --ignore-signal=INT]) do |pid, reader|
      %w[HUP INT TERM].each { |name| Process.kill(name, pid) }

      assert_equal %W[INT\n TERM\n], [line(reader), line(reader)].sort
    end
  end

  # The signal is forwarded when the child has started.
  def test_a_signal_before_the_start_is_forwarded
    asked, go = Queue.new, Queue.new
    parent do |connection|
      request = connection.request
      asked << true
      go.pop
      connection.run_child(request) { sleep }
    end
    pid = spawn_command
    asked.pop
    Process.kill(:TERM, pid)
    go << true

    assert_equal Signal.list["TERM"], Process.wait2(pid).last.termsig
  end

  def test_exit_statuses
    running { |_, request| exit!(request.words.last.to_i) }
    [0, 1, 7, 128, 255].each do |status|
      assert_equal status, run_command("rails", "runner", status.to_s).last.exitstatus
    end
  end

  # Enables core files. The child writes the core file, so the client must not write another one.
  def with_core_files
    before = Process.getrlimit(:CORE)
    Process.setrlimit(:CORE, before.last)
    yield
  ensure
    Process.setrlimit(:CORE, *before)
  end

  def test_the_client_ends_by_the_signal_of_its_child = with_core_files { end_by_each_signal }

  def end_by_each_signal
    running do |_, request|
      trap(request.words.last, "SYSTEM_DEFAULT") unless request.words.last == "KILL"
      Process.kill(request.words.last, Process.pid)
      sleep
    end
    FATAL.each do |name|
      status = run_command("rails", "runner", name).last

      assert_equal [Signal.list[name], false], [status.termsig, status.coredump?], name
    end
  end

  # A signal that ended the child also ends the client, even if the caller ignores or blocks it.
  def test_an_ignored_or_blocked_signal_ends_the_client_too
    parent do |connection|
      connection.request
      connection.reply(WarmParent::STARTED, Process.pid)
      connection.reply(WarmParent::SIGNALED, Signal.list["USR1"])
    end
    %w[--ignore-signal=USR1 --block-signal=USR1].each do |option|
      assert_equal Signal.list["USR1"], run_command(before: ["env", option]).last.termsig, option
    end
  end

  def test_the_parent_learns_that_the_client_was_killed
    ended = Queue.new
    parent do |connection|
      request = connection.request
      connection.reply(WarmParent::STARTED, Process.pid)
      request.streams[1].syswrite("ready 1\n")
      ended << connection.ended?
    end
    start { |pid, _| Process.kill(:KILL, pid) }

    assert ended.pop
  end

  def test_the_client_stops_and_continues_with_its_child
    parent do |connection|
      request = connection.request
      connection.run_child(request) do
        trap("CONT") { request.streams[1].syswrite("CONT\n") }
        request.streams[1].syswrite("ready 1\n")
        Process.kill(:STOP, Process.pid)
        sleep
      end
    end
    start do |pid, reader|
      assert_equal Signal.list["STOP"], Process.wait2(pid, Process::WUNTRACED).last.stopsig
      Process.kill(:CONT, pid)
      assert_equal "CONT\n", line(reader)
      Process.kill(:TERM, pid)

      assert_equal Signal.list["TERM"], Process.wait2(pid).last.termsig
    end
  end
end
