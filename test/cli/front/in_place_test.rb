# frozen_string_literal: true

require "cli/in_place_case"
require "support/project"

# Commands with nothing to do. The front end runs them without Ruby, based on a record of all paths that they checked.
class InPlaceTest < InPlaceCase
  def setup
    super
    @source = GemSource.start
    @source.add("tool", "1.0", files: { "lib/tool.rb" => "TOOL = 1\n", "lib/tool/more.rb" => "MORE = 2\n" })
    @project = Spate::TestProject.new(File.join(folder, "app"), "source '#{@source.url}'\ngem 'tool'\n",
                                      home: File.join(folder, "user"))
    File.write(@project.path("Gemfile.lock"), <<~LOCK)
      GEM
        remote: #{@source.url}
        specs:
          tool (1.0)

      PLATFORMS
        #{Gem::Platform.local}

      DEPENDENCIES
        tool

      BUNDLED WITH
         2.3.15
    LOCK
    @project.spate!("install")
  end

  def teardown
    @source&.stop
    super
  end

  def dir = @project ? @project.folder : folder
  def home = "#{@project.home}/spate"
  def environment = @project ? super.merge(@project.env, INSTALLED) : super

  def edit(path, more = "\n")
    File.write(path, File.read(path) + more)
  end

  def gem_file(name = "tool") = Dir.glob("#{@project.folder}/vendor/bundle/ruby/*/gems/#{name}-*/lib/**/*.rb").first

  # Replaces a file with one of the same size and times.
  def replace(path)
    stat = File.stat(path)
    text = File.binread(path)
    File.binwrite("#{path}.new", text.reverse)
    File.utime(stat.atime, stat.mtime, "#{path}.new")
    File.rename("#{path}.new", path)
  end

  ["install", "i --quiet", "install --json", "install --frozen -j2 --no-cache", "check", "check --json"].each do |line|
    define_method(:"test_no_ruby_for_#{line.tr("^a-z", "_")}") do
      learn(*line.split)

      assert_answered(*line.split)
    end
  end

  def test_variables_of_a_terminal_are_ignored
    learn

    assert answered?(env: { "TERM" => "other", "SSH_TTY" => "/dev/pts/9" })
    assert_equal(*[ruby, front].map { |program| on_a_terminal(program, "install") })
    refute answered?("install", "--json"), "other words have another record"
  end

  def test_other_folders_and_files_are_ignored
    learn
    File.write(File.join(@project.folder, "notes.txt"), "x")
    FileUtils.mkdir_p(File.join(@project.home, "other"))

    assert answered?
    inside = File.join(@project.folder, "config")
    Dir.mkdir(inside)

    refute answered?(dir: inside), "another working directory has another record"
  end

  CHANGES = {
    "the Gemfile" => ->(t) { t.edit(t.path("Gemfile")) },
    "the lockfile" => ->(t) { t.edit(t.path("Gemfile.lock")) },
    "a file of a gem is edited" => ->(t) { t.edit(t.gem_file) },
    "a file of a gem is replaced, with its size and times" => ->(t) { t.replace(t.gem_file) },
    "a file of a gem becomes a link" => lambda do |t|
      path = t.gem_file
      File.rename(path, t.path("elsewhere.rb"))
      File.symlink(t.path("elsewhere.rb"), path)
    end,
    "a file of a gem is removed" => ->(t) { File.unlink(t.gem_file) },
    "a gemspec appears" => ->(t) { File.write("#{t.bundle}/specifications/other-1.gemspec", "") },
    "the launcher is edited" => ->(t) { t.edit(t.ruby) }
  }.freeze

  CHANGES.each do |name, change|
    define_method(:"test_doubt_#{name.tr("^a-z", "_")}") do
      learn
      change.call(self)
      refute answered?, name
    end
  end

  APPEARING = { "gems.rb" => %w[app gems.rb], "settings of the application" => %w[app .bundle/config],
                "vendor/cache" => %w[app vendor/cache/x] }.freeze

  def test_new_path_requires_ruby_until_it_is_removed
    learn
    APPEARING.each do |name, (place, path)|
      path = File.join(folder, place, path)
      made = File.exist?(File.dirname(path)) ? path : File.dirname(path)
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, "---\nBUNDLE_RETRY: \"2\"\n")
      refute answered?, name
      FileUtils.rm_r(made)
      assert answered?, "without #{name}"
    end
    File.write(File.join(user, ".bundle/config").tap { |at| FileUtils.mkdir_p(File.dirname(at)) }, "---\n")
    refute answered?, "settings of the user"
  end

  def test_moved_path_requires_ruby_until_it_is_restored
    learn
    [path("vendor"), "#{store}/packages", "#{store}/bundles", "#{store}/checks"].each do |moved|
      File.rename(moved, "#{moved}.old")
      refute answered?, moved
      File.rename("#{moved}.old", moved)
      assert answered?, "#{moved} is back"
    end
    File.chmod(0o600, gem_file)
    refute answered?, "permissions"
  end

  # { damage => [offset in the record, bytes] }: see core/front/in_place_record.h.
  DAMAGE = { "another version" => [7, "1"], "more folders than there are" => [12, "\xFF" * 4],
             "another user" => [32, [4711].pack("L")], "another start of the machine" => [40 + 16, "x" * 16],
             "a path out of the record" => [88, "\xFF" * 4], "a number that does not fit" => [92, "\xFF" * 4] }.freeze

  def test_damaged_record_requires_ruby
    learn
    whole = File.binread(record)
    DAMAGE.each do |name, (place, bytes)|
      put(whole.dup.tap { |text| text[place, bytes.bytesize] = bytes.b })
      refute answered?, name
      put(whole)
      assert answered?, "without #{name}"
    end
    File.chmod(0o666, record)
    refute answered?, "others may write it"
    File.chmod(0o600, record)
    File.truncate(record, File.size(record) - 1)
    refute answered?, "it is cut off"
  end

  ENVIRONMENT = { "SPATE_X" => "1", "PATH" => "/usr/bin:/bin", "LANG" => "de_DE.UTF-8", "CI" => "1",
                  "UNKNOWN" => "1" }.freeze
  SETTINGS = { "BUNDLE_WITHOUT" => "test", "BUNDLE_X" => "1", "HOME" => "/nonexistent",
               "BUNDLE_GEMFILE" => "Gemfile" }.freeze

  def test_each_variable_is_compared
    learn
    ENVIRONMENT.each do |name, value|
      refute answered?(env: { name => value }), name
      assert answered?, "after #{name}"
    end
    SETTINGS.each { |name, value| refute answered?(env: { name => value }), name }
  end

  def test_gems_of_path_and_git_sources
    gem = make_gem("own")
    commit(make_gem("fetched"))
    edit(path("Gemfile"), "\ngem 'own', path: '#{gem}'\ngem 'fetched', git: '#{folder}/fetched'\n")
    @project.lock
    @project.spate!("install")
    learn
    edit("#{gem}/lib/own.rb")

    assert_answered("install")
    File.write("#{gem}/lib/listed_by_its_gemspec.rb", "")
    refute answered?
    learn
    FileUtils.rm_rf(Dir.glob("#{bundle}/bundler/gems/fetched-*/lib"))
    refute answered?, "a checkout"
  end

  def make_gem(name)
    FileUtils.mkdir_p("#{folder}/#{name}/lib")
    File.write("#{folder}/#{name}/lib/#{name}.rb", "")
    File.write("#{folder}/#{name}/#{name}.gemspec", <<~RUBY)
      Gem::Specification.new do |gem|
        gem.name, gem.version, gem.summary, gem.authors = "#{name}", "1.0", "s", ["a"]
        gem.files = Dir["lib/**/*.rb", base: __dir__]
      end
    RUBY
    "#{folder}/#{name}"
  end

  def commit(repository)
    identity = %w[-c user.name=test -c user.email=test@test]
    [%w[init -q], %w[add .], [*identity, "commit", "-qm", "first"]].each do |words|
      system("git", *words, chdir: repository, exception: true)
    end
  end

  # The front end checks each path once, and opens a folder only if it has to check more than two paths in it.
  def test_system_calls_of_an_answer
    learn
    folders, marks = File.binread(record, 8, 12).unpack("L2")
    log = "#{folder}/calls"
    run_program("strace", "-f", "-qq", "-o", log, front, "install")
    refute_includes File.read(log), "mmap(NULL, #{File.size(record)}", "a mapped file may be truncated"
    calls = File.readlines(log).map { |line| line[/\A\d+\s+(\w+)\(/, 1] }.compact.tally

    assert_operator calls.fetch("newfstatat"), :<, marks + 40
    assert_operator calls.fetch("openat") { calls.fetch("open") }, :<, folders + 20
    assert_operator calls.except("newfstatat", "openat", "open", "close").values.sum, :<, 100
  end

  def test_no_record_of_an_output_with_colours
    edit(gem_file)
    run_program(ruby, "check")

    assert_match(/colours/, File.binread(await_record))
    refute answered?("check")
  end

  def test_no_record_of_an_incomplete_bundle
    FileUtils.rm_rf(File.dirname(gem_file))

    assert_equal 11, run_program(ruby, "check").last
    assert_empty records
  end

  def test_another_launcher_has_another_record
    learn
    other = FileUtils.mkdir_p("#{folder}/other").first
    %w[spate spate-ruby].each { |name| FileUtils.cp("#{bin}/#{name}", other, preserve: true) }

    assert answered?
    assert_equal 14, run_program("strace", "-f", "-qq", "-o", File::NULL, "-e", "trace=execve",
                                 "-e", "inject=execve:error=ENOENT", "#{other}/spate", "install").last
  end

  def path(name) = File.join(@project.folder, name)
  def user = @project.home
  def bundle = Dir.glob("#{@project.folder}/vendor/bundle/ruby/*").first
end
