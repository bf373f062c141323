# frozen_string_literal: true

require_relative "stale_case"
require "gemfile/gemfile_reads"

# Changes what a Gemfile reads, and the text of Gemfile and lockfile. After each change, Ruby must run.
class StaleGemfileTest < StaleCase
  Reads = Spate::Gemfile::GemfileReads
  # {folder => [line, change]}. Each line has a separate folder and a separate constant.
  LINES = Reads::SEEN.each_with_index.to_h do |(line, change), number|
    ["read#{number}", [line.gsub("LIB", "LIB#{number}"), change]]
  end.freeze
  # Leaves out lines with gems, which would change the lockfile, and the `git` line, which names no file.
  BESIDE = Reads::BESIDE.reject { |line, _| line.start_with?("gem ", "`git") }.freeze

  # Makes a record of a Gemfile with these lines after the gems.
  def prepared(lines, env: {})
    @more = env
    File.write(path("Gemfile"), gemfile("#{lines.join("\n")}\n"))
    learn
  end

  def fill
    LINES.each do |place, (line, _)|
      @place = place
      { "f" => "x", "g" => "x", "lib.rb" => "LIB#{place[/\d+/]} = 1\n", "sub/one" => "", "sub2/one" => "other" }
        .each { |name, text| write("app/#{place}/#{name}", text) }
      File.symlink("f", way("link"))
      File.symlink("sub", way("to"))
      commit if line.include?("git ")
    end
  end

  def way(*names) = path(@place, *names)
  def set(name) = @set[name] = "other"

  def git(*words)
    identity = %w[-c user.name=tester -c user.email=tester@localhost]
    system("git", *identity, *words, chdir: way, exception: true, out: File::NULL)
  end

  def commit
    git("init", "--quiet") unless File.exist?(way(".git"))
    git("commit", "--quiet", "--allow-empty", "--message", "more")
  end

  # Each change is made in a copy of the folder.
  def test_what_the_gemfile_reads
    fill
    prepared(LINES.map { |place, (line, _)| "Dir.chdir(File.join(__dir__, '#{place}')) { #{line} }" })
    LINES.each do |place, (line, change)|
      @place = place
      @set = {}
      undo = aside(way) { |original| FileUtils.cp_r(original, way, preserve: true) }
      renew
      assert answered?, line
      change.call(self, method(:way))
      refute answered?(env: @set), line
      undo.call
      renew
    end
  end

  def test_what_the_gemfile_reads_beside_the_application
    { "shared/kind" => "1", "shared/Gemfile" => "" }.each { |name, text| write(name, text) }
    prepared(BESIDE.keys)
    BESIDE.each do |line, (name, text)|
      place = File.join(folder, name)
      undo = nil
      refuted(line, -> { undo.call }) do
        change = ->(*) { File.write(place, text) }
        undo = File.exist?(place) ? edited(place, &change) : made(place, &change)
      end
    end
  end

  def test_installed_gems_that_the_gemfile_reads
    home = File.join(folder, "gems")
    %w[specifications gems/one].each { |name| FileUtils.mkdir_p(File.join(home, name)) }
    prepared(Reads::INSTALLED.keys, env: { "GEM_HOME" => home, "GEM_PATH" => home })
    Reads::INSTALLED.each do |line, name|
      place = name.start_with?("gems") ? bundle(name) : File.join(home, name) # `Gem.dir` is the bundle's folder
      undo = nil
      refuted(line, -> { undo.call }) do
        undo = made(place) { File.write(place, "Gem::Specification.new('more', '1.0')") }
      end
    end
  end

  # Edits of Gemfile or lockfile.
  TEXTS = {
    "a comment" => ->(text) { "#{text}# more\n" }, "a space" => ->(text) { "#{text} " },
    "another gem" => ->(text) { "#{text}gem 'more'\n" }, "without a gem" => ->(text) { text.sub(/^.*tool.*\n/, "") },
    "a requirement" => ->(text) { text.sub("'tool'", "'tool', '> 1'").sub("tool (1.0)", "tool (1.1)") },
    "a comment in front" => ->(text) { "# one\n#{text}" }, "a byte order mark" => ->(text) { "\uFEFF#{text}" },
    "other line ends" => ->(text) { text.gsub("\n", "\r\n") }, "emptied" => ->(_) { "" },
    "no Ruby" => ->(text) { "#{text}end\n" }, "a conflict" => ->(text) { "<<<<<<< one\n#{text}=======\n>>>>>>> two\n" },
    "another source" => ->(text) { text.gsub("localhost", "other.test") },
    "a Ruby" => ->(text) { "#{text}ruby '1.8.7'\n" }, "a group" => ->(text) { "#{text}group(:test) { gem 'base' }\n" },
    "a platform" => ->(text) { "#{text}platforms(:mswin) { gem 'more' }\n" },
    "a path" => ->(text) { "#{text}gem 'own', path: 'own'\n" }, "a plugin" => ->(text) { "#{text}plugin 'more'\n" },
    "a nested Gemfile" => ->(text) { "#{text}eval_gemfile 'Gemfile.more'\n" },
    "a gemspec" => ->(text) { "#{text}gemspec\n" }, "a condition" => ->(text) { "#{text}install_if(-> { 1 }) {}\n" },
    "the same size" => ->(text) { text.sub("tool", "toll") }, "the same text" => ->(text) { text },
    "reversed" => ->(text) { text.lines.reverse.join }
  }.freeze

  def test_texts
    prepared([])
    %w[Gemfile Gemfile.lock].product(TEXTS.to_a) do |name, (change, edit)|
      try("#{name}: #{change}", -> { @undo.call }) do
        @undo = edited(path(name)) do |text, stat|
          File.write(path(name), edit.call(text))
          File.utime(stat.atime, stat.mtime, path(name))
        end
      end
    end
  end

  # There is no record if Bundler has to evaluate the Gemfile each time.
  def test_gemfile_without_a_check
    fill
    ["Time.now", "rand", "`uname`"].each do |line|
      File.write(path("Gemfile"), gemfile("#{line}\n"))
      FileUtils.rm_f(records)
      assert_equal 0, run_program(ruby, "install").last

      refute_equal "SPATEIP3", File.binread(await_record, 8), line
      refute answered?
    end
  end

  def refuted(name, undo, &change)
    refute try(name, undo, &change), name
  end
end
