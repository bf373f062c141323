# frozen_string_literal: true

require "resolve/resolve_case"
require "support/test_disk"

# Commands that change a Gemfile or lockfile in a read-only folder or on a full disk.
class ResolveFileSystemTest < ResolveCase
  COMMANDS = [%w[lock], %w[update --all --skip-install], %w[add more --skip-install],
              %w[remove leaf --skip-install]].freeze

  SYNC = File::WRONLY | File::CREAT | File::SYNC

  def setup
    super
    %w[base leaf more].each { |name| source.add(name, "1.0") }
  end

  def teardown
    mounted.each { |path| system("umount", "-l", path, err: File::NULL) }
    @disk&.unmount
    super
  end

  def test_read_only_folder
    app = started
    make_read_only(app.folder)
    assert_refused(app, /read-only|permission/i)
    assert_match(/^base +1.0/, app.spate("outdated").first)
    assert_match(/^base 1.0/, app.spate!("tree"))
  end

  # Nothing has to be written.
  def test_lock_without_a_change_in_a_read_only_folder
    app = project("app", gemfile)
    app.lock
    make_read_only(app.folder)
    assert_match(/^Gemfile.lock is unchanged$/, app.spate!("lock"))
  end

  # A container mounts single files, which cannot be replaced.
  def test_mounted_files
    app = started
    MANIFESTS.each { |name| mount_itself(app.path(name)) }
    COMMANDS.each { |words| app.spate!(*words) }

    assert_equal "source '#{source.url}'\ngem 'base', '>= 1'\n\ngem \"more\", \"~> 1.0\"\n", contents(app)["Gemfile"]
    assert_equal %w[base more], Spate::Lockfile.parse(contents(app)["Gemfile.lock"]).specs.map(&:name)
    assert_equal MANIFESTS, Dir.children(app.folder).sort
  end

  def test_full_disk
    obstacle = Spate::TestDisk.obstacle(:ext4) and skip obstacle
    app = project("app", gemfile)
    @disk = Spate::TestDisk.new(:ext4, File.join(folder, "disk.img"))
    @disk.mount(app.folder)
    File.write(app.path("Gemfile"), gemfile)
    change(app)
    fill(app.path("filler"))
    assert_refused(app, /space/i)
    assert_equal %w[Gemfile Gemfile.lock], Dir.children(app.folder).grep(/Gemfile/).sort

    Dir.glob(app.path("filler*")).each { |path| File.unlink(path) }
    COMMANDS.each { |words| app.spate!(*words) }
  end

  private

  # Fills the disk, then syncs and fills the rest with small files: the file system may keep a few blocks until the data
  # is on the disk.
  def fill(path)
    assert_raises(Errno::ENOSPC) { IO.copy_stream("/dev/zero", path, 1 << 30) }
    system("sync", "-f", path)
    assert_raises(Errno::ENOSPC) { 10_000.times { |number| File.write("#{path}-#{number}", "x", flags: SYNC) } }
  end

  def gemfile = "source '#{source.url}'\ngem 'base'\ngem 'leaf'\n"

  def started = project("app", gemfile).tap { |app| change(app) }

  # Locks the project, and edits its Gemfile so that each command has a change to write.
  def change(app)
    app.lock
    File.write(app.path("Gemfile"), gemfile.sub("gem 'base'", "gem 'base', '>= 1'"))
    source.add("base", "1.1")
  end

  def assert_refused(app, reason)
    before = contents(app)
    COMMANDS.each do |words|
      output, status = app.spate(*words)
      assert_equal 9, status.exitstatus, "#{words}: #{output}"
      assert_match reason, output, words
      assert_match(/^hint: /, output, words)
      assert_equal before, contents(app), words
    end
  end

  def make_read_only(path)
    return File.chmod(0o555, path) unless Process.euid.zero?

    mount_itself(path)
    made = system("mount", "-o", "remount,bind,ro", path, err: File::NULL)
    skip "no folder can be made read-only here" unless made
  end

  def mounted = @mounted ||= []

  def mount_itself(path)
    skip "nothing can be mounted here" unless system("mount", "--bind", path, path, err: File::NULL)
    mounted << path
  end
end
