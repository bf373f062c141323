# frozen_string_literal: true

require "cli/front/front_case"

# Commands that the front end runs itself, and commands that it passes to Ruby.
class FrontTest < FrontCase
  # Replaces Ruby with a script that prints its arguments.
  def fake_ruby
    facts = File.readlines(ruby).grep(/\A#:/).join
    File.write(ruby, "#!/bin/sh\n#{facts}\necho RUBY \"$@\"\n")
  end

  def assert_handed_over(*words, **options)
    assert_equal ["RUBY #{words.join(" ")}\n", "", 0], run_program(front, *words, **options)
  end

  def assert_answered(*words, **options)
    assert_match(/\A[^R]/, run_program(front, *words, **options).first)
  end

  def test_version_is_the_same
    ["version", "-v", "--version", "version --json", "version --quiet", "version --no-color"].each do |line|
      assert_same(*line.split)
    end
    assert_same("version", env: { "NO_COLOR" => "1", "CI" => "true" })
  end

  def test_version_is_answered_without_ruby
    fake_ruby

    assert_answered("version")
    assert_answered("version", "--json")
  end

  def test_everything_else_is_the_same
    [%w[], %w[help], %w[version --help], %w[version x], %w[versoin], %w[install --jobs none], ["check", ""],
     %w[exec], %w[install --gemfile missing/Gemfile]].each { |words| assert_same(*words) }
  end

  def test_words_of_any_size
    fake_ruby
    words = ["a" * 100_000, *Array.new(20_000, "word")]

    assert_handed_over(*words)
  end

  def test_standard_input_and_descriptors_reach_ruby
    File.write(ruby, "#!/bin/sh\ncat; cat <&7; pwd\n")
    IO.pipe do |reader, writer|
      writer.write("seven")
      writer.close
      out, = Open3.capture2(environment, front, "list", 7 => reader, chdir: folder, stdin_data: "in")

      assert_equal "inseven#{folder}\n", out
    end
  end

  def test_environments_that_require_ruby
    fake_ruby
    { "RUBYOPT" => "-w", "RUBYLIB" => "/x", "RUBY_BOX" => "1", "SPATE_FRONT" => "0" }.each do |name, value|
      assert_handed_over("version", env: { name => value })
      assert_answered("version", env: { name => "" })
    end
  end

  def test_launchers_that_require_ruby
    fake_ruby
    File.chmod(0o775, ruby)
    assert_handed_over("version")
    File.chmod(0o755, ruby)
    assert_answered("version")
    File.write(ruby, File.read(ruby).sub(/^#:backend .*\n/, ""))
    assert_handed_over("version")
  end

  def test_outdated_launcher_facts_require_ruby
    fake_ruby
    text = File.read(ruby)
    { /^#:file \d/ => "#:file 9", /^#:version .*/ => "#:version 9",
      /^#:lib .*/ => "#:lib /missing" }.each do |fact, other|
      File.write(ruby, text.sub(fact, other))
      assert_handed_over("version")
    end
  end

  def test_doctor_reports_an_old_front_end
    path = "#{bin}:#{ENV.fetch("PATH")}"
    assert_includes spate("doctor", env: { "PATH" => path }).out, "launcher #{front}: front end\n"
    File.write(ruby, File.read(ruby).sub(/^#:file \d/, "#:file 9"))
    out = spate("doctor", env: { "PATH" => path }).out

    assert_match(/odd +launcher .*: front end for another version of .*\n +hint: spate setup --dir #{bin}$/, out)
  end

  def test_it_reports_a_missing_launcher
    File.delete(ruby)

    assert_equal ["", "error: #{ruby} or its Ruby is missing\nhint: gem install spate, then spate setup\n", 14],
                 run_program(front, "version")
  end

  def test_closed_streams
    %w[<&- >&- 2>&-].each do |redirection|
      assert_equal run_program("sh", "-c", "#{ruby} version #{redirection}"),
                   run_program("sh", "-c", "#{front} version #{redirection}"), redirection
    end
  end

  def test_output_that_cannot_be_written
    skip "no /dev/full here" unless File.exist?("/dev/full")
    ["version", "version --json"].each do |line|
      assert_equal run_program("sh", "-c", "#{ruby} #{line} >/dev/full"),
                   run_program("sh", "-c", "#{front} #{line} >/dev/full"), line
    end
  end

  def test_reader_that_has_ended
    statuses = [ruby, front].map do |program|
      reader, writer = IO.pipe
      reader.close
      pid = Process.spawn(environment, program, "version", "--json", out: writer, err: File::NULL)
      writer.close
      Process.wait2(pid).last.to_i
    end

    assert_equal 141 << 8, statuses.first
    assert_equal(*statuses)
  end

  def test_removed_folder_and_missing_home
    gone = write("gone/x", "").then { |path| File.dirname(path) }
    [ruby, front].map { |program| run_program("sh", "-c", "rm -rf #{gone}; #{program} version", dir: folder) }
                 .uniq.then { |both| assert_equal 1, both.size }
    assert_same("version", env: { "HOME" => nil })
  end

  def test_it_looks_only_at_files_that_the_launcher_names
    trace = File.join(folder, "trace")
    run_program("strace", "-qq", "-e", "trace=%file", "-o", trace, front, "version")
    skip "strace does not work here" unless File.size?(trace)
    library = %r{\A/(?:etc/ld\.so|lib|usr/lib/[^/]*/libc\.)} # if the C library is not linked statically
    paths = File.readlines(trace).filter_map { |line| line[/"(.*?)"/, 1] }.uniq.grep_v(library)
    named = File.readlines(ruby, chomp: true).filter_map { |line| line[%r{\A#:(?:file|lib) .*?(/.*)}, 1] }

    assert_empty paths - [front, "/proc/self/exe", ruby, *named] - above(named.last)
  end

  # A path and all of its parent folders. realpath(3) reads each of them.
  def above(path) = path.split("/").drop(1).inject([""]) { |all, name| all << "#{all.last}/#{name}" }

  def test_it_is_hardened
    headers = IO.popen(["readelf", "--file-header", "--program-headers", "--dynamic", "--wide", front], &:read)

    assert_match(/Type: +DYN/, headers)
    assert_match(/GNU_RELRO/, headers)
    assert_match(/BIND_NOW|NOW/, headers)
    refute_match(/GNU_STACK.* RWE /, headers)
    assert_empty headers.scan(/NEEDED.*\[(.*?)\]/).flatten - ["libc.so.6"]
    assert_match(/__stack_chk_fail/, IO.popen(["nm", front], &:read))
  end
end
