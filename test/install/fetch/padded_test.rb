# frozen_string_literal: true

require "test_helper"
require "support/project"
require "rubygems/package"

# Some real gems have extra bytes after their gzip data. RubyGems installs them.
class PaddedTest < Minitest::Test
  def setup
    @source = GemSource.start
    @source.add("padded", "1.0", files: { "lib/padded.rb" => "PADDED = 1\n" })
  end

  def teardown
    @source.stop
    super
  end

  # Adds garbage after data.tar.gz, and removes checksums.yaml, which would no longer match.
  def pad(path)
    parts = File.open(path, "rb") { |file| Gem::Package::TarReader.new(file).map { |e| [e.full_name, e.read] } }
    File.open(path, "wb") do |file|
      Gem::Package::TarWriter.new(file) do |tar|
        parts.reject { |name, _| name.start_with?("checksums") }.each do |name, bytes|
          bytes += "garbage" if name == "data.tar.gz"
          tar.add_file_simple(name, 0o444, bytes.bytesize) { |io| io.write(bytes) }
        end
      end
    end
  end

  def test_bytes_after_the_data_are_ignored
    # Disables the checksums that newer Bundlers add to the lockfile.
    app = Spate::TestProject.new(File.join(folder, "app"), "source '#{@source.url}'\ngem 'padded'\n",
                                 env: { "BUNDLE_LOCKFILE_CHECKSUMS" => "false" }).tap(&:lock)
    FileUtils.mkdir_p(app.path("vendor/cache"))
    archive = app.path("vendor/cache/padded-1.0.gem")
    app.run!("gem", "fetch", "padded", "--clear-sources", "--source", @source.url, chdir: app.path("vendor/cache"))
    pad(archive)
    app.spate!("install")

    assert_path_exists "#{app.bundle_root}/gems/padded-1.0/lib/padded.rb"
  end
end
