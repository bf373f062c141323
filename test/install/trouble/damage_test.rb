# frozen_string_literal: true

require "install/install_case"

# Files in the store were overwritten, truncated or deleted. The next install of another project must repair the store
# or fetch the gem again, and must never link damaged files.
class DamageTest < InstallCase
  TEXT = "RIGHT = 1\n"
  DAMAGE = {
    overwritten: ->(path) { File.open(path, "r+") { |io| io.write("WRONG = 1\n") } },
    emptied: ->(path) { File.truncate(path, 0) },
    cut: ->(path) { File.truncate(path, File.size(path) / 2) },
    grown: ->(path) { File.open(path, "a") { |io| io.write("\0") } },
    deleted: ->(path) { File.unlink(path) },
    replaced: ->(path) { File.unlink(path) && File.write(path, "other", mode: "wb") },
    linked: ->(path) { File.unlink(path) && File.symlink("/etc/passwd", path) }
  }.freeze

  def setup
    super
    @entry = @source.add("hurt", "1.0", files: { "lib/hurt.rb" => TEXT, "lib/more.rb" => "MORE = 1\n" },
                                        executables: %w[hurt])
    @number = 0
    assert_installs(project)
  end

  # The projects have copies (SPATE_COPY), so that damage in the store is not also an edit of a bundle.
  def test_damaged_objects_with_an_archive_to_heal_from
    DAMAGE.each { |kind, damage| damaged(kind) { damage.call(object) } }
  end

  def test_damaged_objects_without_an_archive
    DAMAGE.each do |kind, damage|
      damaged(kind) do
        damage.call(object)
        File.unlink(archive)
      end
    end
  end

  def test_damaged_archives
    DAMAGE.each do |kind, damage|
      damaged(kind) do
        apart(archive)
        damage.call(archive)
      end
    end
  end

  def test_damaged_archive_and_object
    damaged("both") do
      apart(archive)
      DAMAGE[:overwritten].call(archive)
      DAMAGE[:deleted].call(object)
    end
  end

  def test_damaged_manifests
    flips = Array.new(6) { |at| ["byte #{at} of 6 flipped", ->(path) { flip(path, at / 6.0) }] }.to_h
    DAMAGE.merge(flips).each { |kind, damage| damaged(kind) { damage.call(manifest) } }
  end

  def test_damaged_caches
    %w[names specs checks bundles].each do |folder|
      files = Dir.glob("#{store}/#{folder}/**/*").reject { |path| File.directory?(path) }
      refute_empty files, folder
      damaged(folder) { files.each { |path| File.unlink(path) && File.write(path, "\0garbage\xff\n".b) } }
    end
  end

  # The store has the package without its archive, and vendor/cache has a different archive with its name. As in
  # Bundler, that archive is used for this application only.
  def test_vendored_archive_that_differs
    other = project
    File.unlink(archive)
    FileUtils.mkdir_p(other.path("vendor/cache"))
    evil = GemSource::Recipe.new("hurt", "1.0", files: { "lib/hurt.rb" => "EVIL = 1\n" }).archive
    File.binwrite(other.path("vendor/cache/hurt-1.0.gem"), evil)
    assert_installs(other, "hurt-1.0")

    assert_equal "EVIL = 1\n", File.read("#{other.bundle_root}/gems/hurt-1.0/lib/hurt.rb")
    damaged("after another one of its name") { nil }
  end

  private

  # Damages the store (a block), installs another project, and checks its files.
  def damaged(kind)
    yield
    other = project
    output = assert_installs(other, "hurt-1.0")
    files = Dir.glob("lib/*.rb", base: "#{other.bundle_root}/gems/hurt-1.0").sort
               .to_h { |path| [path, File.read("#{other.bundle_root}/gems/hurt-1.0/#{path}")] }

    assert_equal({ "lib/hurt.rb" => TEXT, "lib/more.rb" => "MORE = 1\n" }, files, "#{kind}: #{output}")
    assert_equal @entry.sha256, Digest::SHA256.file("#{other.bundle_root}/cache/hurt-1.0.gem").hexdigest, kind.to_s
    assert_path_exists "#{other.bundle_root}/bin/hurt"
    assert_store_clean(other)
  end

  def project = app("app#{@number += 1}", gems: %w[hurt], SPATE_COPY: "1")
  def store = "#{folder}/home/spate/store/v1"
  def archive = "#{store}/archives/#{@entry.sha256}.gem"
  # Newer RubyGems apply the umask, which is then part of the manifest's name.
  def manifest = @manifest ||= Dir.glob("#{store}/packages/#{@entry.sha256}*").first
  def object = Dir.glob("#{store}/objects/*/#{Digest::SHA256.hexdigest(TEXT)}-644").first

  # Gives the file a new inode, because a bundle's cache/ may share the store's.
  def apart(path)
    bytes = File.binread(path)
    File.unlink(path)
    File.binwrite(path, bytes)
  end

  def flip(path, where)
    bytes = File.binread(path)
    at = (bytes.bytesize * where).to_i
    bytes.setbyte(at, bytes.getbyte(at) ^ 0x55)
    File.unlink(path)
    File.binwrite(path, bytes)
  end
end
