# frozen_string_literal: true

require "cli/front/warm/client_case"
require "io/console"
require "pty"

# Commands in a shell with job control: Ctrl-C, Ctrl-Z, fg, bg.
class WarmClientTerminalTest < WarmClientCase
  INTERRUPT = "\x03"
  SUSPEND = "\x1A"
  PROMPT = "%"

  def setup
    super
    skip "bash is missing" unless system("bash", "-c", "exit", err: File::NULL)
  end

  # Yields with a shell in which `spate` is the front end.
  def shell
    @screen, @keys, pid = PTY.spawn(*shell_command, close_others: true)
    @seen = +""
    await(PROMPT)
    yield
  ensure
    @keys&.close
    @screen&.close
    Process.kill(:KILL, pid) && Process.wait(pid) if pid
  end

  def shell_command
    env = variables.merge("PS1" => PROMPT, "TERM" => "dumb").map { |pair| pair.join("=") }
    ["env", "--default-signal=HUP", "-i", "-C", app, *env, "bash", "--norc", "--noprofile", "--noediting", "-i"]
  end

  def enter(line) = @keys.write("#{line}\n")

  # Waits for a text on the screen. Returns everything up to it.
  def await(text)
    give_up = Time.now + PATIENCE
    until (at = @seen.index(text))
      flunk "not shown after #{PATIENCE} s: #{text}\n#{@seen}" if Time.now > give_up
      @seen << @screen.readpartial(4096) if @screen.wait_readable(1)
    end
    @seen.slice!(0, at + text.length)
  end

  # Starts a parent whose children print their signals and lines of input.
  def trapping(*signals)
    parent(streams: "ttt", env: { "PS1" => PROMPT }) do |connection|
      connection.run_child(connection.request) do |request|
        trap("INT", "SYSTEM_DEFAULT")
        signals.each { |name| trap(name) { request.streams[1].syswrite("<#{name}>\n") } }
        request.streams[1].syswrite("<started>\n")
        loop { request.streams[1].syswrite("<line #{request.streams[0].gets.chomp}>\n") }
      end
    end
  end

  def test_keys_signal_the_child
    trapping("INT", "WINCH")
    shell do
      enter("#{front} exec rails runner 1")
      await("<started>")
      @keys.write(INTERRUPT)
      await("<INT>")
      @keys.winsize = [30, 90]
      await("<WINCH>")
      enter("a")
      await("<line a>")
    end
  end

  def test_an_interrupted_child_ends_the_command
    trapping
    shell do
      enter("#{front} exec rails runner 1; echo after")
      await("<started>")
      @keys.write(INTERRUPT)
      await(PROMPT) # the shell has received the signal, and runs nothing more
      enter("echo \"<$?>\"")

      refute_includes await("<130>"), "after\r\n"
    end
  end

  def test_it_is_suspended_and_continued
    trapping("CONT")
    shell do
      enter("#{front} exec rails runner 1")
      await("<started>")
      2.times do
        @keys.write(SUSPEND)
        await("Stopped")
        await(PROMPT)
        enter("fg")
        await("<CONT>")
        enter("b")

        refute_includes await("<line b>"), "<CONT>", "it was continued once"
      end
    end
  end

  # The terminal sends a signal to the whole process group.
  def test_keys_signal_the_processes_of_the_child_too
    parent(streams: "ttt", env: { "PS1" => PROMPT }) do |connection|
      connection.run_child(connection.request) do |request|
        input, out, = request.streams
        trap("INT") { nil } # not ignored, because the shell would inherit that
        system("trap 'echo \"<int>\"; exit' INT; echo '<started>'; read line", in: input, out: out)
      end
    end
    shell do
      enter("#{front} exec rails runner 1")
      await("<started>")
      @keys.write(INTERRUPT)
      await("<int>")
    end
  end

  def test_in_the_background_it_boots
    trapping
    shell do
      enter("#{front} exec rails runner 1 & wait")
      await("RUBY exec rails runner 1")
    end
  end
end
