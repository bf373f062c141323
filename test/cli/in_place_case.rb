# frozen_string_literal: true

require "cli/front/front_case"
require "pty"

# The record with which the front end runs a command without Ruby. Subclasses define `dir`, the project, and `home`,
# Spate's folder.
class InPlaceCase < FrontCase
  # Time limit for a record, in seconds.
  PATIENCE = 60
  INSTALLED = { "SPATE_BOOT_BACKGROUND" => nil, "SPATE_FRONT" => nil, "CI" => nil }.freeze
  TIMES = /\(.*? s\)|"seconds":[\d.]+(?:,"peak_memory":\d+)?/

  def run_program(*command, dir: self.dir, **options) = super
  def store = "#{home}/store/v1"
  def records = Dir.glob("#{store}/in-place/*")

  # Waits for the record of the last command. If there is none, the file contains the reason.
  def await_record
    give_up = Time.now + PATIENCE
    Thread.pass until (path = records.find { |file| file.match?(%r{/\h{32}\z}) }) || Time.now > give_up
    refute_nil path, "no record after #{PATIENCE} s"
    path
  end
  alias record await_record

  # Runs a command with Ruby, and repeats this until its record is valid: background processes of the first command
  # may change a file.
  def learn(*words)
    words = %w[install] if words.empty?
    5.times do
      learn_once(*words)
      return if answered?(*words)
    end
    flunk "no record holds: #{words}"
  end

  def learn_once(*words, **options)
    FileUtils.rm_f(records)
    assert_equal 0, run_program(ruby, *words, **options).last
    assert_equal "SPATEIP3", File.binread(record, 8), File.binread(record)[0, 200]
    postpone
  end

  # Sets the record's mtime to the future, because a young record is not replaced.
  def postpone = File.utime(soon = Time.now + 3600, soon, record)

  # Writes a record, with its checksum.
  def put(bytes)
    bytes[8, 4] = [Spate::Native.crc32c(bytes[12..])].pack("L")
    File.binwrite(record, bytes)
    postpone
  end

  # Whether the front end runs a command without Ruby. Other programs fail to start, so that no Ruby changes the state.
  # before: words before the program, such as `unshare`.
  def answered?(*words, before: [], **options)
    words = %w[install] if words.empty?
    _, err, status = run_program(*before, strace, "-f", "-qq", "-o", File::NULL, "-e", "trace=execve",
                                 "-e", "inject=execve:error=ENOENT", front, *words, **options)
    assert_includes [0, 14], status, err
    status.zero?
  end

  # The path of strace. The command's PATH may be part of the test.
  def strace
    @strace ||= ENV.fetch("PATH").split(":").map { |place| "#{place}/strace" }.find { |path| File.executable?(path) } ||
                skip("strace is not installed")
  end

  # Asserts that the front end runs a command without Ruby, with the same output.
  def assert_answered(*words)
    assert answered?(*words), words.join(" ")
    expected, found = [ruby, front].map { |program| run_program(program, *words) }

    assert_equal expected.map { |text| text.to_s.gsub(TIMES, "") }, found.map { |text| text.to_s.gsub(TIMES, "") }
  end

  def on_a_terminal(program, *words)
    env = environment.merge("NO_COLOR" => nil, "TERM" => "xterm")
    reader, writer, pid = PTY.spawn(env, program, *words, chdir: dir)
    writer.close
    Process.wait(pid)
    reader.read_nonblock(10_000).gsub(TIMES, "")
  ensure
    reader&.close
  end
end
