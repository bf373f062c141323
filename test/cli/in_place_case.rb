# frozen_string_literal: true

require "cli/front/front_case"
require "pty"

# The record by which the front end answers a command. A subclass sets `dir`, the project, and `home`, Spate's folder.
class InPlaceCase < FrontCase
  # Seconds.
  PATIENCE = 60
  INSTALLED = { "SPATE_BOOT_BACKGROUND" => nil, "SPATE_FRONT" => nil, "CI" => nil }.freeze
  TIMES = /\(.*? s\)|"seconds":[\d.]+(?:,"peak_memory":\d+)?/

  def run_program(*command, dir: self.dir, **options) = super
  def store = "#{home}/store/v1"
  def records = Dir.glob("#{store}/in-place/*")

  # Waits for the record of the last command, or for the reason why there is none.
  def await_record
    give_up = Time.now + PATIENCE
    Thread.pass until (path = records.find { |file| file.match?(%r{/\h{32}\z}) }) || Time.now > give_up
    refute_nil path, "no record after #{PATIENCE} s"
    path
  end
  alias record await_record

  # Runs a command by Ruby, and waits until its record holds: what else runs in the background after a first command
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

  # A young record is not replaced.
  def postpone = File.utime(soon = Time.now + 3600, soon, record)

  # Writes a record, with its checksum.
  def put(bytes)
    bytes[8, 4] = [Spate::Native.crc32c(bytes[12..])].pack("L")
    File.binwrite(record, bytes)
    postpone
  end

  # Whether the front end answers without Ruby. Starting another program fails, so that no Ruby changes the state.
  # before: words that start the program, such as `unshare`.
  def answered?(*words, before: [], **options)
    words = %w[install] if words.empty?
    _, err, status = run_program(*before, strace, "-f", "-qq", "-o", File::NULL, "-e", "trace=execve",
                                 "-e", "inject=execve:error=ENOENT", front, *words, **options)
    assert_includes [0, 14], status, err
    status.zero?
  end

  # Its path, since the PATH may be what changes.
  def strace
    @strace ||= ENV.fetch("PATH").split(":").map { |place| "#{place}/strace" }.find { |path| File.executable?(path) } ||
                skip("strace is not installed")
  end

  # The front end answers, with the same output as Ruby.
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
