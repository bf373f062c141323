# frozen_string_literal: true

require "test_helper"
require "support/boot_gems"

# Boots with damaged or foreign compile caches behave like plain Ruby, with at most one warning.
class BootDamageTest < Minitest::Test
  # A length of 600 MB, to be written into headers.
  LIE = [600 << 20].pack("Q<")

  def setup
    super
    @project = Spate::BootGems.project(File.join(folder, "app"))
    @expected = @project.plain
    assert_equal 0, @expected.code, @expected.err
  end

  def test_twenty_damaged_compile_caches
    warm
    cache = boot_compile_cache
    damages.each do |name, damage|
      restore
      damage.call(cache)
      found = @project.spate
      assert_plain found, name
      assert_operator found.err.lines.grep(/^spate: /).length, :<=, 1, "#{name}: #{found.err}"
    end
  end

  def test_useless_compile_cache_is_reported_once_and_made_again
    warm
    File.truncate(boot_compile_cache, File.size(boot_compile_cache) / 2)
    found = @project.spate(readonly: false)

    assert_equal 1, found.err.lines.grep(/^spate: .*#{File.basename(boot_compile_cache)}/).length, found.err
    assert_plain found, "truncated", err: false
    @project.settle
    again = @project.spate

    assert_operator again.hits, :>, 100, again.facts
    assert_empty again.err
  end

  def test_folders_writable_by_others
    warm
    { "the folder is open to all" => -> { File.chmod(0o777, @project.caches) },
      "the compile caches are open to all" => -> { File.chmod(0o666, *Dir["#{@project.caches}/**/*.compiled"]) },
      "the application's compile cache is open to its group" => -> { File.chmod(0o660, boot_compile_cache) },
      "a compile cache is a link" => -> { link(boot_compile_cache) },
      "the folder is a link" => -> { link("#{@project.caches}/boots") } }.each do |name, damage|
      restore
      damage.call
      refused(name)
    end
  end

  # Only the compile caches that others can write are ignored. One line reports them, and the rest are used.
  def test_folders_of_which_some_are_writable_by_others
    warm
    { "overlay" => %w[apps], "gems" => %w[gems], "both" => %w[apps gems] }.each do |name, folders|
      restore
      open = folders.flat_map { |kind| Dir.glob("#{@project.caches}/#{kind}/*.compiled") }
      open.each { |path| File.chmod(0o666, path) }
      File.write("#{@project.folder}/vendor/bundle/#{Spate::Layout.ruby_scope}/gems/alpha-1.0/lib/alpha.rb",
                 "#{File.read(@project.gem("alpha-1.0", "lib/alpha.rb"))}#\n")
      found = @project.spate

      assert_plain found, name
      assert_equal 1, found.err.lines.grep(/^spate: /).length, "#{name}: #{found.err}"
      assert_operator found.hits, :>, 50
    end
  end

  def test_compile_caches_of_another_user
    skip "needs root, to give files away" unless Process.uid.zero?
    warm
    File.chown(12_345, 12_345, *Dir.glob("#{@project.caches}/**/*.compiled"))
    refused("compile_cache")
    restore
    File.chown(12_345, 12_345, "#{@project.caches}/boots", "#{@project.caches}/gems",
               "#{@project.caches}/apps")
    refused("folders")
  end

  def test_a_compile_cache_of_another_ruby
    warm
    other = Spate::Native::CompileCache
    path = boot_compile_cache
    File.unlink(path)
    other.write(path, key: "0" * 32, files: [], data: { "replay" => "wrong", "load_path_cache" => "wrong" })
    found = @project.spate

    assert_plain found, "another Ruby", err: false
    assert_equal "no compile cache yet", found.facts[:parts][:replay]
  end

  private

  def assert_plain(found, name, err: true)
    assert_equal [@expected.code, @expected.out], [found.code, found.out], "#{name}: #{found.err}"
    assert_equal @expected.err, found.err.gsub(/^spate: .*\n/, ""), name if err
  end

  # Asserts that no file is loaded from the folder, and that one line reports the reason.
  def refused(name)
    found = @project.spate

    assert_plain found, name
    assert_equal 0, found.hits, "#{name}: #{found.facts}"
    assert_equal 1, found.err.lines.grep(/^spate: /).length, "#{name}: #{found.err}"
  end

  def warm
    @project.warm
    FileUtils.cp_r("#{@project.home}/spate", "#{@project.home}/kept", preserve: true)
  end

  def restore
    FileUtils.rm_rf("#{@project.home}/spate")
    FileUtils.cp_r("#{@project.home}/kept", "#{@project.home}/spate", preserve: true)
  end

  def boot_compile_cache = Dir.glob("#{@project.caches}/boots/*.compiled").first

  def link(path)
    File.rename(path, "#{path}-away")
    File.symlink("#{path}-away", path)
  end

  # Twenty ways to damage a compile cache, with a fixed seed: { name => lambda }.
  def damages
    random = Random.new(4)
    found = {}
    6.times { |number| found["flipped #{number}"] = ->(path) { flip(path, random.rand(File.size(path)), random) } }
    4.times { |number| found["flipped in the head #{number}"] = ->(path) { flip(path, random.rand(4096), random) } }
    [0, 100, 4096, -1, -4096].each do |size|
      found["truncated at #{size}"] = ->(path) { File.truncate(path, size.negative? ? File.size(path) + size : size) }
    end
    [16, 24].each { |at| found["600 MB at #{at}"] = ->(path) { overwrite(path, at, LIE) } }
    found["zeros all over"] = ->(path) { overwrite(path, 0, "\0" * File.size(path)) }
    found["a page of zeros"] = ->(path) { overwrite(path, File.size(path) / 2, "\0" * 4096) }
    found["something else, of 600 MB"] = ->(path) { File.truncate(path, 0) || File.truncate(path, 600 << 20) }
    found
  end

  def flip(path, at, random)
    byte = File.binread(path, 1, at).ord
    overwrite(path, at, (byte ^ (1 << random.rand(8))).chr)
  end

  def overwrite(path, at, bytes) = File.open(path, "r+b") { |file| file.pwrite(bytes, at) }
end
