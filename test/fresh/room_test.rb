# frozen_string_literal: true

require "test_helper"
require "open3"
require "shellwords"

module Spate
  # bin/fresh runs a command in a separate system and removes it afterwards. The base has a few of this machine's
  # programs, because a real base takes minutes and needs a mirror.
  class FreshRoomTest < Minitest::Test
    PROGRAMS = %w[sh env cat ls sleep mount id touch unshare true].freeze
    FRESH = File.expand_path("../../bin/fresh", __dir__)

    def setup
      super
      skip "mounts need root" unless Process.euid.zero?
      skip "no namespaces here" unless system("unshare", "-m", "-p", "-f", "true", err: File::NULL)
      make_base
    end

    def make_base
      base = File.join(folder, "base")
      FileUtils.mkdir_p(%w[proc sys dev tmp etc root usr/local/share/ca-certificates].map { |name| "#{base}/#{name}" })
      paths = PROGRAMS.map { |name| `which #{name}`.chomp }
      libraries = `ldd #{paths.shelljoin}`.scan(%r{/\S+(?= \()}).uniq
      (paths + libraries).each { |path| FileUtils.install(path, "#{base}#{path}", mode: 0o755) if under(base, path) }
      File.write("#{base}/usr/bin/update-ca-certificates", "#!#{paths.first}\n", perm: 0o755)
      FileUtils.mkdir_p("#{folder}/cache")
      assert system("tar", "-cf", "#{folder}/cache/debian13.tar", "-C", base, ".")
    end

    def under(base, path) = FileUtils.mkdir_p(File.dirname("#{base}#{path}"))

    def environment = { "FRESH_CACHE" => "#{folder}/cache", "CI" => nil }

    def fresh(*words)
      Open3.capture2e(environment, FRESH, *words)
    end

    def left = Dir.children("#{folder}/cache") - %w[debian13.tar debian13.tar.lock]

    def test_command_runs_in_its_own_system
      elsewhere = File.join(Dir.tmpdir, "of-this-machine")
      FileUtils.touch(elsewhere)
      script = "pwd; cat README.md >/dev/null && LANG=C ls -d /tmp/* /dev/shm/* /dev/pts/ptmx; echo $HOME; id -u; " \
               "set -- /proc/[0-9]*; [ $# -lt 9 ] && echo alone; unshare --mount true && echo mounts; " \
               "touch /dev/shm/mine /tmp/mine; exit 7"
      out, status = fresh("debian13", "sh", "-c", script)

      assert_equal 7, status.exitstatus, out
      found = out.lines(chomp: true).grep_v(/^ls: cannot access/)
      assert_equal %w[/project /dev/pts/ptmx /root 0 alone mounts], found, out
      refute_path_exists "/dev/shm/mine"
      assert_empty left
      refute_includes File.read("/proc/mounts"), folder
    end

    # Starts a command with two processes. Returns when both run.
    def start
      @seconds = "9#{Process.pid}"
      @io = IO.popen([environment, FRESH, "debian13", "sh", "-c", "sleep #{@seconds} & sleep #{@seconds}"])
      sleep 0.01 until sleepers == 2 || !system("kill", "-0", @io.pid.to_s, err: File::NULL)
      assert_equal 2, sleepers
    end

    def sleepers
      Dir["/proc/[0-9]*/cmdline"].count do |path|
        File.read(path) == "sleep\0#{@seconds}\0"
      rescue SystemCallError
        false
      end
    end

    # Sends a signal to bin/fresh only, and waits until its output is closed. Returns its Process::Status.
    def finish(signal)
      Process.kill(signal, @io.pid)
      @io.read
      @io.close
      $?
    end

    def test_interrupt_leaves_no_process_and_no_room
      start

      assert_equal 143, finish(:TERM).exitstatus
      assert_equal 0, sleepers
      assert_empty left
    end

    def test_next_run_removes_the_room_of_a_killed_one
      start
      finish(:KILL)

      assert_equal 0, sleepers
      refute_empty left
      fresh("debian13", "sh", "-c", "true")

      assert_empty left
    end

    def test_a_room_that_is_kept
      fresh("--keep", "debian13", "sh", "-c", "touch /root/mine /project/tmp-mine")
      out, = fresh("--keep", "debian13", "sh", "-c", "ls /root; ls /project/tmp-mine")

      assert_match(/^mine$/, out)
      assert_match(/tmp-mine.*No such file/, out)
      assert_equal %w[debian13-kept debian13-kept.room], left.sort
    end

    def test_unavailable_system_exits_with_77_and_a_reason
      out, status = fresh("nowhere", "true")

      assert_equal 77, status.exitstatus
      assert_match(%r{^bin/fresh: debootstrap here knows no nowhere$}, out)
    end
  end
end
