# frozen_string_literal: true

require "cli/front/front_case"
require "support/warm_parent"

# `spate exec rails` through the front end. The test acts as the warm parent. A script that prints "RUBY" replaces Ruby.
class WarmClientCase < FrontCase
  IGNORED = %w[_ SHLVL PWD OLDPWD TERM COLUMNS LINES].freeze
  # Flags of a mark, see core/front/in_place_record.h: size, mtime and ctime are compared.
  READ = 4 | 8
  PATIENCE = 30

  def setup
    super
    facts = File.readlines(ruby).grep(/\A#:/).join
    File.write(ruby, "#!/bin/sh\n#{facts}\necho RUBY \"$@\"\n")
    FileUtils.mkdir_p([app, "#{home}/store/v1/in-place"])
    Dir.mkdir(sockets, 0o700)
    File.write(input, "1")
  end

  def teardown
    @parent&.stop
  ensure
    super
  end

  def app = File.join(folder, "app")
  def home = File.join(folder, "home")
  def sockets = File.join(folder, "sockets")
  def socket = File.join(sockets, "socket")
  # The file that the parent's boot read.
  def input = File.join(app, "config.rb")

  # All variables of the command.
  def variables = { "HOME" => folder, "SPATE_HOME" => home, "PATH" => ENV.fetch("PATH") }

  # Starts a parent whose record is valid for these commands.
  def parent(kind: "application development", streams: "nnn", at: socket, **record, &block)
    record(kind, streams, at: at, **record)
    @parent = WarmParent.new(at, &block)
  end

  # Starts a parent that replies with this exit status. @requests receives its requests.
  def answering(status = 3, **options)
    @requests = Queue.new
    parent(**options) do |connection|
      @requests << (request = connection.request)
      connection.reply(WarmParent::STARTED, Process.pid)
      request.streams[1].write("WARM")
      request.close
      connection.reply(WarmParent::EXITED, status)
    end
  end

  # The parent's input in the interface of CLI::InPlace::Marks: a single file.
  Input = Struct.new(:path) do
    def folders = 1
    def count = 1
    def whole_seconds? = false

    def to_bytes(texts)
      stat = File.stat(path)
      times = [stat.mtime, stat.ctime].map { |time| (time.to_i * 1_000_000_000) + time.nsec }
      [texts.add(File.dirname(path)), 1].pack("L2") <<
        [stat.dev, stat.ino, stat.size, *times, texts.add(File.basename(path)), READ, stat.mode,
         stat.uid].pack("Q3q2L4")
    end
  end

  def record(kind, streams, at: socket, env: {}, output: "#{at}\n")
    key = Spate::CLI::InPlace.key(app, env["BUNDLE_GEMFILE"], [ruby, "warm", kind, streams, state])
    record = Spate::CLI::InPlace::Record.new(Input.new(input), variables.merge(env).compact, IGNORED)
    File.binwrite("#{home}/store/v1/in-place/#{key}", record.to_s(output, 1))
  end

  # The attributes of this process, as text: spate_warm_state in core/front/warm/state.c.
  def state = Spate::Native::Warm.place(%w[rails runner], ["RAILS_ENV=test"], app).last

  # [stdout, stderr, Process::Status]
  def run_command(*words, env: {}, dir: app, before: [], **options)
    words = %w[rails runner 1] if words.empty?
    Open3.capture3(variables.merge(env), *before, front, "exec", *words, chdir: dir, unsetenv_others: true,
                                                                         close_others: true, **options)
  end

  # Asserts that the command boots as without warm boots.
  def assert_booted(*words, message: nil, **options)
    words = %w[rails runner 1] if words.empty?
    out, err, status = run_command(*words, **options)

    assert_equal ["RUBY exec #{words.join(" ")}\n", "", 0], [out, err, status.exitstatus], message || words.inspect
  end

  def assert_warm(*words, message: nil, **options)
    out, err, status = run_command(*words, **options)

    assert_equal ["WARM", "", 3], [out, err, status.exitstatus], message || words.inspect
  end
end
