# frozen_string_literal: true

require "cli/front/warm/client_case"
require "fiddle"

# When the front end passes a command to its warm parent, and which data the parent receives.
class WarmClientTest < WarmClientCase
  KINDS = {
    "application development" => ["rails runner 1", "./bin/rails routes", "rake db:seed"],
    "application development console" => ["rails c", "bin/rails console"],
    "application development server" => ["./bin/rails s -p 3001"],
    "application test" => ["rails test", "rails t a_test.rb", "bin/rails test:system", "rspec", "bin/rspec -e name"]
  }.freeze

  KINDS.each do |kind, lines|
    define_method(:"test_kind_#{kind.tr(" ", "_")}") do
      answering(kind: kind)
      lines.each { |line| assert_warm(*line.split) }
      KINDS.except(kind).each_value { |others| others.each { |line| assert_booted(*line.split) } }
    end
  end

  # The deepest parent whose record is valid.
  def test_a_framework_parent_is_used_without_an_application_parent
    answering(kind: "framework development")
    assert_warm
    assert_booted("rails", "test")
    framework = @parent
    answering(4, kind: "application development", at: "#{socket}2")

    assert_equal 4, run_command.last.exitstatus
    File.unlink("#{socket}2")
    record("application development", "nnn", env: { "A" => "1" })
    assert_warm(message: "another environment than that of the application parent")
  ensure
    framework&.stop
  end

  def test_a_program_of_another_folder_has_no_parent
    answering

    assert_warm("#{app}/bin/rails", "runner", "1")
    assert_booted("#{folder}/bin/rails", "runner", "1")
    assert_booted("../app/bin/rails", "runner", "1")
  end

  def test_variables_choose_the_kind_or_none
    answering(kind: "application staging", env: { "RAILS_ENV" => "staging" })

    assert_warm(env: { "RAILS_ENV" => "staging" })
    record("application production", "nnn", env: { "RAILS_ENV" => "production" })
    assert_booted(env: { "RAILS_ENV" => "production" })
    [{ "CI" => "1" }, { "SPATE_WARM" => "0" }].each do |env|
      record("application development", "nnn", env: env)
      assert_booted(env: env)
    end
  end

  def test_the_proof_is_checked
    answering
    other = File.join(app, "other")
    Dir.mkdir(other)
    assert_warm
    assert_booted(env: { "A" => "1" })
    assert_booted(dir: other)
    assert_warm(env: { "TERM" => "other" }, message: "an ignored variable")
    File.write(input, "2")

    assert_booted(message: "an edited file")
  end

  def test_the_state_of_the_process_counts
    answering
    ["umask 0123", "ulimit -c 0 && ulimit -n 99", "renice -n 5 $$ >/dev/null",
     "echo 500 >/proc/self/oom_score_adj"].each do |change|
      assert_booted(before: ["sh", "-c", "#{change}; exec \"$@\"", "sh"], message: change)
    end
    [%w[setarch -R], %w[ionice -c 2 -n 7]].each { |before| assert_booted(before: before, message: before.join(" ")) }
    assert_warm(before: ["sh", "-c", "umask #{format("%04o", File.umask)}; exec \"$@\"", "sh"])
  end

  def test_capabilities_count
    skip "only root may change its capabilities" unless Process.euid.zero?
    answering

    assert_booted(before: %w[setpriv --bounding-set=-wake_alarm])
    assert_booted(before: %w[setpriv --inh-caps=+chown])
    assert_booted(before: %w[setpriv --inh-caps=+chown --ambient-caps=+chown])
    assert_warm(before: %w[setpriv])
  end

  # The same mode, but one more filter.
  def test_seccomp_filters_count
    skip "only root may add a filter without another change" unless Process.euid.zero?
    skip "the kernel does not list filters" unless File.read("/proc/self/status").include?("Seccomp_filters:")
    reader, writer = IO.pipe
    Process.wait(fork do
      states = Array.new(2) do
        add_filter
        state
      end
      writer.write(Marshal.dump(states))
      exit!(0)
    end)
    writer.close

    refute_equal(*Marshal.load(reader.read)) # rubocop:disable Security/MarshalLoad
  end

  def test_too_many_open_files_are_a_doubt
    answering
    File.open(input) { |file| assert_booted(**Array.new(61) { |index| [100 + index, file] }.to_h) }
    assert_warm
  end

  def test_other_outputs_of_the_record_are_no_path
    answering
    ["", "\n", socket, "#{socket}\n\n", "socket\n", "../sockets/socket\n", "#{socket}\x01\n",
     "/#{"x" * 5000}\n"].each do |output|
      record("application development", "nnn", output: output)
      assert_booted(message: output[0, 100].inspect)
    end
  end

  def test_options_of_exec_are_in_the_environment
    answering(env: { "BUNDLE_GEMFILE" => "#{app}/gems.rb" })

    assert_warm(env: { "BUNDLE_GEMFILE" => "gems.rb", "SPATE_CACHE_KEY" => "secret" })
    assert_includes @requests.pop.environment, "BUNDLE_GEMFILE=#{app}/gems.rb"
    assert_booted(env: { "BUNDLE_GEMFILE" => "Gemfile" })
    assert_equal 3, run_command("--gemfile", "x/../gems.rb", "rails", "r").last.exitstatus
  end

  def test_the_request_is_whole
    large = (1..11).to_h { |number| ["LARGE_#{number}", "x" * 100_000] }
    answering(env: large)
    words = ["bin/rails", "runner", "a b", "", "\u00e4\n", "--"]

    assert_warm(*words, env: large.merge("SPATE_CACHE_KEY" => "secret"))
    request = @requests.pop
    assert_equal words.map(&:b), request.words.map(&:b)
    assert_equal variables.merge(large).map { |pair| pair.join("=") }.sort, request.environment.sort
  end

  def test_signal_masks_are_sent
    answering
    bit = ->(*names) { names.sum { |name| 1 << (Signal.list.fetch(name) - 1) } }
    assert_warm(before: %w[env --ignore-signal=USR1 --ignore-signal=INT --default-signal=PIPE --block-signal=USR2])
    request = @requests.pop

    assert_equal bit["USR1"], request.ignored & bit["USR1", "INT", "PIPE", "TERM", "USR2"]
    assert_equal bit["USR2"], request.blocked & bit["USR1", "INT", "PIPE", "TERM", "USR2", "CONT", "WINCH"]
  end

  def test_descriptors_reach_the_child
    parent do |connection|
      connection.run_child(connection.request) do |request|
        Dir.chdir("/proc/self/fd/#{request.folder.fileno}")
        input, out, err = request.streams
        exec("cat; pwd; echo error >&2; exit 7", in: input, out: out, err: err)
      end
    end
    out, err, status = run_command(stdin_data: "in,")

    assert_equal ["in,#{app}\n", "error\n", 7], [out, err, status.exitstatus]
  end

  def test_other_descriptors_reach_the_parent
    parent do |connection|
      connection.run_child(connection.request) do |request|
        exec("cat <&5", 5 => request.others.fetch(7), out: request.streams[1])
      end
    end
    File.write("#{folder}/seven", "seven")
    out, err, status = File.open("#{folder}/seven") { |file| run_command(7 => file) }

    assert_equal ["seven", "", 0], [out, err, status.exitstatus]
  end

  # Without a record the search for one must be cheap, because it happens for each command without warm boots.
  def test_system_calls_without_a_parent
    calls = [{ "SPATE_WARM" => "0" }, {}].map do |env|
      trace = File.join(folder, "trace")
      _, err, status = run_command(env: env, before: ["strace", "-qq", "-o", trace])
      skip "strace does not work here: #{err}" unless status.success?
      File.readlines(trace).take_while { |line| !line.match?(/execve\(.*spate-ruby/) }.size
    end

    assert_operator calls.last - calls.first, :<=, 100, calls.inspect
  end

  def test_many_at_once
    parent do |connection|
      request = connection.request
      connection.run_child(request) { exit!(request.words.last.to_i) }
    end
    found = Array.new(32) { |number| Thread.new { run_command("rails", "runner", number.to_s).last.exitstatus } }

    assert_equal (0...32).to_a, found.map(&:value)
  end

  private

  PR_SET_SECCOMP = 22
  SECCOMP_MODE_FILTER = 2
  # One instruction of BPF that allows all system calls.
  FILTER = [6, 0, 0, 0x7fff0000].pack("SCCL")

  def add_filter
    prctl = Fiddle::Function.new(Fiddle.dlopen(nil)["prctl"], [Fiddle::TYPE_INT, *[Fiddle::TYPE_VOIDP] * 4],
                                 Fiddle::TYPE_INT)
    prctl.call(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, [1, FILTER].pack("Sx6P"), 0, 0).zero? or raise "no filter was added"
  end
end
