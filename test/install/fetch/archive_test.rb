# frozen_string_literal: true

require "test_helper"
require "support/gem_source"
require "tmpdir"

# Fetch::Archive#native? detects gems with extensions, whose archives are unpacked first.
class ArchiveTest < Minitest::Test
  def setup
    @folder = Dir.mktmpdir
  end

  def teardown
    FileUtils.rm_rf(@folder)
  end

  def native?(bytes)
    path = File.join(@folder, "archive")
    bytes ? File.binwrite(path, bytes) : FileUtils.rm_f(path)
    Spate::Install::Fetch::Archive.new(path: path).native?
  end

  def gem(**how, &change) = GemSource::Recipe.new("one", "1.0", **how, &change).archive

  def test_gems_with_extensions
    refute native?(gem)
    assert native?(gem(native: true))
    assert native?(gem(native: true, executables: ["tool"]) { |spec| spec.description = "extensions:\n- none" })
    refute native?(gem { |spec| spec.description = "no\nextensions:\n- none" })
  end

  # In signed gems, certificates come before the extensions. Some gems have thousands of files after them.
  def test_long_metadata
    refute native?(gem(files: Array.new(3000) { |number| ["lib/file#{number}.rb", ""] }.to_h))
    assert native?(gem(native: true) { |spec| spec.cert_chain = [Random.new(1).bytes(1500).unpack1("H*")] })
  end

  def test_invalid_archives
    ["", "metadata.gz\0", "x" * 9000, "metadata.gz\0".ljust(9000, "7"),
     "metadata.gz\0".ljust(124, "\0") + "77777777777\0".ljust(9000, "\xff"), nil].each { |bytes| refute native?(bytes) }
  end
end
