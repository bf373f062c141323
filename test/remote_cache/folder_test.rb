# frozen_string_literal: true

require_relative "transport_case"
require "support/test_disk"

# A cache in a folder, such as a share to which other users write.
class RemoteCacheFolderTest < Minitest::Test
  include TransportCase
  include TransportCase::Contract
  include TransportCase::Whole
  include TransportCase::Lists

  def tells_of_others? = true

  def setup = @root = Dir.mktmpdir("spate-share-")

  def teardown
    @disk&.unmount
    FileUtils.rm_rf(@root)
    super
  end

  def cache = @cache ||= transport(@root)

  def test_permissions_are_those_of_the_root
    { 0o2775 => [0o2775, 0o664], 0o700 => [0o700, 0o600], 0o1777 => [0o1777, 0o666] }.each do |mode, expected|
      FileUtils.rm_rf("#{@root}/cas")
      File.chmod(mode, @root)
      cache.put(cas("x"), "x")

      assert_equal expected, ["#{@root}/cas", "#{@root}/#{cas("x")}"].map { |path| File.stat(path).mode & 0o7777 }
    end
  end

  # If a share is not mounted, its folder is empty or missing. No file may be written there.
  def test_missing_folder
    [transport("#{@root}/none"), transport(write("file", ""))].each do |cache|
      [-> { cache.get(cas("x"), limit: 9) }, -> { cache.put(cas("x"), "x") }, -> { cache.head(cas("x")) },
       -> { cache.each("cas/").to_a }].each do |call|
        assert_match(/mount the share/, assert_unavailable(:refused, &call).hint)
      end
    end
    assert_empty Dir.children(@root)
  end

  def test_links_are_not_followed
    elsewhere = write("elsewhere/#{"a" * 64}", "elsewhere")
    Dir.mkdir("#{@root}/cas")
    File.symlink(elsewhere, "#{@root}/#{cas("x")}")
    assert_unavailable(:answer, /has a symbolic link at/) { cache.get(cas("x"), limit: 9) }
    assert_empty cache.each("cas/").to_a
    cache.put(cas("x"), "x")
    assert_equal "elsewhere", File.read(elsewhere)
    assert_equal "x", cache.get(cas("x"), limit: 9)

    File.symlink(File.dirname(elsewhere), "#{@root}/ac")
    [-> { cache.get("ac/#{"a" * 64}", limit: 9) }, -> { cache.put(ac("x"), "x") },
     -> { cache.delete("ac/#{"a" * 64}") }, -> { cache.each("ac/").to_a }]
      .each { |call| assert_unavailable(:answer, /an entry ac that is not a directory/, &call) }
    assert_equal ["a" * 64], Dir.children(File.dirname(elsewhere))
  end

  # The folder is replaced between the check and the operation.
  def test_a_folder_that_becomes_a_link
    elsewhere = FileUtils.mkdir_p("#{folder}/elsewhere").first
    root = @root
    cache.define_singleton_method(:real_folder?) do |name|
      super(name).tap do
        File.rename("#{root}/#{name}", "#{root}/moved")
        File.symlink(elsewhere, "#{root}/#{name}")
      end
    end
    File.write("#{elsewhere}/#{File.basename(cas("x"))}", "elsewhere")
    2.times do |time|
      FileUtils.rm_rf(["#{root}/moved", "#{root}/cas"])
      Dir.mkdir("#{root}/cas") if time == 1 # otherwise the cache creates it
      assert_unavailable(:refused) { time.zero? ? cache.put(cas("x"), "x") : cache.delete(cas("x")) }
    end
    assert_equal "elsewhere", File.read("#{elsewhere}/#{File.basename(cas("x"))}")
  end

  def test_folder_or_pipe_in_place_of_a_file
    FileUtils.mkdir_p("#{@root}/#{cas("folder")}")
    File.mkfifo("#{@root}/#{cas("pipe")}")
    %w[folder pipe].each { |name| assert_unavailable(:answer, /is not a file/) { cache.get(cas(name), limit: 9) } }
    assert_empty cache.each("cas/").to_a
    assert_unavailable(:refused) { cache.put(cas("folder"), "x") }
  end

  def test_foreign_files_are_not_listed
    cache.put(cas("x"), "x")
    %w[.nfs0001 lost+found x].each { |name| FileUtils.touch("#{@root}/cas/#{name}") }
    FileUtils.touch("#{@root}/#{cas("x")}.123-abc")

    assert_equal [cas("x")], cache.each("cas/").to_a.map(&:first)
    assert_raises(ArgumentError) { cache.each("../").to_a }
  end

  def test_failed_put_leaves_no_file
    broken = Object.new
    broken.define_singleton_method(:rewind) { raise Errno::EIO }

    assert_unavailable(:refused, %r{Input/output error}) { cache.put(cas("x"), broken) }
    assert_empty Dir.children("#{@root}/cas")
  end

  def test_missing_permissions
    cache.put(cas("x"), "x")
    File.chmod(0o755, @root)
    File.chmod(0o555, "#{@root}/cas")
    File.chmod(0, "#{@root}/#{cas("x")}")

    assert_equal "read_only", reason_without_rights { cache.put(cas("y"), "y") }
    assert_equal "read_only", reason_without_rights { cache.delete(cas("x")) }
    assert_equal "credentials", reason_without_rights { cache.get(cas("x"), limit: 9) }
  ensure
    File.chmod(0o755, "#{@root}/cas")
  end

  def test_a_full_disk
    obstacle = Spate::TestDisk.obstacle(:ext4) and skip obstacle
    @disk = Spate::TestDisk.new(:ext4, "#{@root}/compile_cache").tap { |disk| disk.mount("#{@root}/disk") }
    share = transport("#{@root}/disk")
    share.put(cas("kept"), "kept")
    error = assert_unavailable(:full, /No space left/) { share.put(cas("much"), "much" * (5 << 20)) }

    assert_match(/free space/, error.hint)
    assert_equal [File.basename(cas("kept"))], Dir.children("#{@root}/disk/cas")
    assert_equal "kept", share.get(cas("kept"), limit: 9)
  end

  # Simulates a Windows share, because such a file system may not be available.
  def test_share_without_permissions
    File.chmod(0o777, @root)
    reason = reason_without_rights do
      File.class_eval { def chmod(*) = raise(Errno::EPERM) }
      cache.put(cas("x"), "x")
    end

    assert_equal "", reason
    assert_equal "x", cache.get(cas("x"), limit: 9)
  end

  # Paths with characters that are special in a URL.
  def test_strange_names
    ["#{@root}/a b/ä?x=1#y", "#{@root}/%41"].each do |path|
      FileUtils.mkdir_p(path)
      strange = transport(path)
      strange.put(cas("x"), "x")

      assert File.file?("#{path}/#{cas("x")}")
      escaped = path.split("/").map { |step| URI.encode_www_form_component(step).gsub("+", "%20") }.join("/")
      assert_equal "x", transport("file://#{escaped}/").get(cas("x"), limit: 9)
    end
  end

  private

  # Calls the block in an unprivileged child process, because root has all permissions. Returns the reason of an
  # Unavailable, or "".
  def reason_without_rights
    reader, writer = IO.pipe
    child = fork do
      Process::UID.change_privilege(65_534) if Process.uid.zero?
      yield
    rescue Unavailable => e
      writer.write(e.reason)
    ensure
      exit!
    end
    writer.close
    Process.wait(child)
    reader.read
  end
end
