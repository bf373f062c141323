# frozen_string_literal: true

require "test_helper"
require "spate/resolve/child/files"

# The new file has the owner, the group and the permissions of the old one.
class ResolveChildFilesTest < Minitest::Test
  Child = Spate::Resolve::Child

  def setup
    super
    @path = write("Gemfile.lock", "old", mode: 0o640)
  end

  def test_others_cannot_read_the_new_file_before_it_has_its_permissions
    before = nil
    Child.rewrite(@path) do |fresh|
      File.write(fresh, "new")
      before = mode(fresh)
    end
    assert_equal [0o600, 0o640, "new"], [before, mode(@path), File.read(@path)]
  end

  def test_a_file_that_is_new_has_the_permissions_of_the_umask
    path = "#{folder}/Other.lock"
    Child.rewrite(path) { |fresh| File.write(fresh, "new") }
    assert_equal 0o666 & ~File.umask, mode(path)
  end

  def test_owner_and_group_are_kept
    skip "needs root" unless Process.euid.zero?
    File.chown(65_534, 65_533, @path)
    Child.rewrite(@path) { |fresh| File.write(fresh, "new") }
    status = File.stat(@path)
    assert_equal [65_534, 65_533, 0o640], [status.uid, status.gid, mode(@path)]
  end

  def test_a_file_is_kept_if_nothing_was_written
    Child.rewrite(@path) { |fresh| fresh }
    assert_equal "old", File.read(@path)
    assert_equal %w[Gemfile.lock], Dir.children(folder)
  end

  # A mounted file is written in place.
  def test_a_mounted_file_on_a_full_disk_keeps_its_content
    disk = "#{folder}/disk"
    Dir.mkdir(disk)
    mount("-t", "tmpfs", "-o", "size=8k", "none", disk)
    File.write("#{disk}/file", "old")
    mount("--bind", "#{disk}/file", @path)

    assert_raises(Errno::ENOSPC) { Child.rewrite(@path) { |fresh| File.write(fresh, "new" * 10_000) } }
    assert_equal "old", File.read(@path)
  end

  def teardown
    Array(@mounted).reverse_each { |path| system("umount", "-l", path) }
    super
  end

  private

  def mount(*words)
    skip "nothing can be mounted here" unless system("mount", *words, err: File::NULL)
    (@mounted ||= []) << words.last
  end

  def mode(path) = File.stat(path).mode & 0o7777
end
