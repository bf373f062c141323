# frozen_string_literal: true

require "install/team/team_case"
require "support/cache_server"

# What an install prints about the team cache, and when it uploads.
class SharingTest < TeamCase
  def plain
    @source.add("plain", "1.0")
    app("here/app", gems: %w[plain], home: "here/home", SPATE_CACHE: @cache)
  end

  def test_invalid_key_is_reported_each_time
    project = plain
    2.times do
      output, status = run_install(project, SPATE_CACHE_KEY: "/nowhere.pem")
      assert_equal 0, status.exitstatus, output
      assert_equal 1, output.scan(/^warning: SPATE_CACHE_KEY is neither .*; nothing is sent to the team's cache$/).size
    end
    install(project, SPATE_CACHE_KEY: "/nowhere.pem")
    assert_equal 1, warnings.size
  end

  def test_local_install_sends_nothing
    project = plain
    install(project)
    install(project, "--local", "--rebuild", "plain", SPATE_CACHE_KEY: @key.to_pem)
    assert_empty Dir.glob("#{project.home}/**/cache-push*.log")
    output, status = run_install(project, "--local", "--push", SPATE_CACHE_KEY: @key.to_pem)
    assert_equal 2, status.exitstatus, output
  end

  # Another process of the same user can open files and pipes of a process (/proc/PID/fd).
  def test_key_cannot_be_read_from_the_sending_process
    hold = write("hold.rb", <<~RUBY)
      if ARGV.first(2) == %w[cache push]
        File.write("#{folder}/held", Process.pid)
        600.times { File.exist?("#{folder}/go") ? break : sleep(0.05) }
      end
    RUBY
    install(plain, SPATE_CACHE_KEY: @key.to_pem, RUBYOPT: "-r#{hold}")
    Timeout.timeout(30) { sleep 0.05 until File.size?("#{folder}/held") }
    place = "/proc/#{File.read("#{folder}/held")}/fd/0"
    assert_raises(Errno::ENXIO) { File.open(place, File::RDONLY | File::NONBLOCK, &:read) }
    write("go", "")
    Timeout.timeout(30) { sleep 0.05 until Dir.glob("#{@cache}/cas/*").grep_v(/\.\d+-/).any? }
  end

  # If the sender inherited them, a shell's lock (`exec 9>lock; flock 9`) would not end with the shell, nor a pipe with
  # the command.
  def test_sender_inherits_no_open_files
    hold = write("hold.rb", "File.read('#{folder}/gate') if ARGV.first(2) == %w[cache push]\n")
    File.mkfifo("#{folder}/gate")
    read, write = IO.pipe
    write.close_on_exec = false
    install(plain, SPATE_CACHE_KEY: @key.to_pem, RUBYOPT: "-r#{hold}")
    write.close
    File.open("#{folder}/gate", "w") { assert IO.select([read], nil, nil, 10), "the sender has it open" }
  ensure
    [read, write].compact.each(&:close)
  end

  # Changes that a branch switch may make before the sending process starts.
  { "adds_a_gem" => ["gem 'other'\n", /does not agree with Gemfile$/],
    "writes" => ["File.write(File.join(__dir__, 'made'), '')\n", /Gemfile cannot be evaluated$/],
    "deletes" => ["File.delete(File.join(__dir__, 'Gemfile.lock'))\n", /Gemfile cannot be evaluated$/] }
    .each do |name, (line, reason)|
    define_method("test_sender_changes_no_file_when_the_gemfile_#{name}") do
      hold = write("hold.rb", "File.read('#{folder}/gate') if ARGV.first(2) == %w[cache push]\n")
      File.mkfifo("#{folder}/gate")
      @source.add("other", "1.0")
      install(project = plain, SPATE_CACHE_KEY: @key.to_pem, RUBYOPT: "-r#{hold}")
      before = nil
      File.open("#{folder}/gate", "w") do
        File.write(project.path("Gemfile"), line, mode: "a")
        before = state(project)
      end
      Timeout.timeout(60) { sleep 0.05 until log(project).match?(/^hint: /) }
      assert_match reason, log(project)[/^error: .+$/]
      assert_equal before, state(project)
    end
  end

  def log(project) = File.read(Dir.glob("#{project.home}/**/cache-push*.log").first)

  def state(project)
    Dir.glob(["#{project.folder}/**/*", "#{project.home}/**/*"], File::FNM_DOTMATCH).sort
       .reject { |path| path.start_with?("#{project.home}/spate") || path == "#{project.home}/." }
       .map { |path| [path, File.lstat(path).ino, File.lstat(path).mtime] }
  end

  def test_untrusted_builds_are_reported_with_their_signer
    native("alpha")
    first = machine("first", "alpha")
    install(first)
    push(first)
    assert_equal [%w[alpha], []], install(machine("second", "alpha", keys: ""))
    assert_includes warnings.join("\n"), "the signer with the id #{@key.id} is not trusted here: 2 entries"
    assert_equal [%w[alpha], []], install(machine("wrong", "alpha", keys: "ci"))
    assert_match(/\ASPATE_CACHE_KEYS is "ci"; .* builds signed by others are not used\z/, warnings.first)
    assert_equal [[], %w[alpha]], install(machine("third", "alpha"))
    assert_empty warnings
  end

  def test_push_option_needs_a_cache
    output, status = run_install(plain, "--push", SPATE_CACHE: "off", SPATE_CACHE_KEY: @key.to_pem)
    assert_equal 14, status.exitstatus, output
    assert_match(/^error: no team cache is configured here\nhint: spate cache use ADDRESS/, output)
  end

  def test_a_cache_that_only_has_pages
    server = CacheServer.new(@cache).start.fault(//, :html)
    install(plain, SPATE_CACHE: server.url)
    assert_match(/\Athe cache \S+ sent an HTML page \(.*\)\z/, warnings.join("\n"))
  ensure
    server&.stop
  end
end
