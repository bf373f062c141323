# frozen_string_literal: true

require "cli/front_case"
require "support/project"

# `spate install` with nothing to do, answered by the front end from a record of all that such an install looks at.
class InPlaceTest < FrontCase
  # Seconds.
  PATIENCE = 60

  def setup
    super
    @source = GemSource.start
    @source.add("tool", "1.0", files: { "lib/tool.rb" => "TOOL = 1\n", "lib/tool/more.rb" => "MORE = 2\n" })
    @project = Spate::TestProject.new(File.join(folder, "app"), "source '#{@source.url}'\ngem 'tool'\n",
                                      home: File.join(folder, "user"), facts: true)
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

  def environment = @project ? @project.env.merge("SPATE_BOOT_BACKGROUND" => nil, "SPATE_FRONT" => nil) : super
  def run_program(*command, dir: @project ? @project.folder : folder, **options) = super
  def store = "#{@project.home}/spate/store/v1"
  def records = Dir.glob("#{store}/in-place/*")
  def record = records.find { |path| path.match?(%r{/\h{32}\z}) }

  # Runs an install by Ruby, and waits for its record.
  def learn(*words, **options)
    FileUtils.rm_f(records)
    assert_equal 0, run_program(ruby, "install", *words, **options).last
    give_up = Time.now + PATIENCE
    Thread.pass until record || Time.now > give_up
    refute_nil record, "no record after #{PATIENCE} s"
    assert_equal "SPATEIP1", File.binread(record, 8), File.binread(record)[0, 200]
    File.utime(soon = Time.now + 3600, soon, record) # a young record is not replaced
  end

  # Whether the front end answers without Ruby. Starting another program fails, so that no Ruby changes the state.
  def answered?(*words, **options)
    _, err, status = run_program("strace", "-f", "-qq", "-o", File::NULL, "-e", "trace=execve",
                                 "-e", "inject=execve:error=ENOENT", front, "install", *words, **options)
    assert_includes [0, 14], status, err
    status.zero?
  end

  def edit(path, more = "\n")
    File.write(path, File.read(path) + more)
  end

  def gem_file(name = "tool") = Dir.glob("#{@project.folder}/vendor/bundle/ruby/*/gems/#{name}-*/lib/**/*.rb").first

  # A file of the same size and times in place of another.
  def replace(path)
    stat = File.stat(path)
    text = File.binread(path)
    File.binwrite("#{path}.new", text.reverse)
    File.utime(stat.atime, stat.mtime, "#{path}.new")
    File.rename("#{path}.new", path)
  end

  def test_an_install_with_nothing_to_do_needs_no_ruby
    learn

    assert answered?
    [%w[], %w[--quiet], %w[--frozen --jobs 2], %w[--json]].each do |words|
      expected, found = [ruby, front].map { |program| run_program(program, "install", *words) }
      times = /\(.*? s\)|"seconds":[\d.]+,"peak_memory":\d+/

      assert_equal expected.map { |text| text.to_s.gsub(times, "") }, found.map { |text| text.to_s.gsub(times, "") }
    end
    assert answered?(env: { "TERM" => "other", "SSH_TTY" => "/dev/pts/9" }), "variables of a terminal do not count"
  end

  def test_other_folders_and_files_do_not_count
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

  def test_what_appears_is_a_doubt_until_it_is_gone
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

  def test_what_is_moved_is_a_doubt_until_it_is_back
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

  # Bytes at a place of the record: core/front/in_place_record.h.
  DAMAGE = { "another version" => [7, "2"], "more folders than there are" => [8, "\xFF" * 4],
             "another user" => [28, [4711].pack("L")], "another start of the machine" => [40 + 16, "x" * 16],
             "a path out of the record" => [88, "\xFF" * 4], "a number that does not fit" => [92, "\xFF" * 4] }.freeze

  def test_a_damaged_record_is_a_doubt
    learn
    DAMAGE.each do |name, (place, bytes)|
      before = File.binread(record, bytes.bytesize, place)
      [[bytes, :refute], [before, :assert]].each do |text, verdict|
        File.open(record, "r+b") { |file| file.pwrite(text, place) }
        public_send(verdict, answered?, name)
      end
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

  def test_each_variable_counts
    learn
    ENVIRONMENT.each do |name, value|
      refute answered?(env: { name => value }), name
      assert answered?, "after #{name}"
    end
    SETTINGS.each { |name, value| refute answered?(env: { name => value }), name }
  end

  def test_a_record_is_for_one_gemfile
    learn("--gemfile", "Gemfile")

    assert answered?("--gemfile", "Gemfile")
    refute answered?
  end

  def test_no_record_of_an_install_that_reports_something
    edit(gem_file)
    run_program(ruby, "install")
    give_up = Time.now + PATIENCE
    Thread.pass until record || Time.now > give_up

    refute_equal "SPATEIP1", File.binread(record, 8)
    refute answered?
  end

  def test_no_record_without_background
    FileUtils.rm_f(records)
    run_program(ruby, "install", env: { "SPATE_BOOT_BACKGROUND" => "0" })

    assert_empty records
  end

  def path(name) = File.join(@project.folder, name)
  def user = @project.home
  def bundle = Dir.glob("#{@project.folder}/vendor/bundle/ruby/*").first
end
