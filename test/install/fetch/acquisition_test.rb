# frozen_string_literal: true

require "test_helper"
require "support/gem_source"
require "tmpdir"

# The order in which fetched archives are unpacked.
class AcquisitionTest < Minitest::Test
  Fetch = Spate::Install::Fetch
  Context = Struct.new(:backlog, :store)

  def setup = @folder = Dir.mktmpdir
  def teardown = FileUtils.rm_rf(@folder)

  def lane(bytes, **how)
    path = "#{@folder}/archive"
    File.binwrite(path, GemSource::Recipe.new("one", "1.0", **how).archive)
    Fetch::Acquisition.new(Context.new, nil, unpack_step: nil).lane(nil, Fetch::Archive.new(path: path, bytes: bytes))
  end

  # Gems with extensions come first, then large ones, then the rest.
  def test_priorities_of_unpacking
    assert_equal [0, 0, 1, 2], [lane(10, native: true), lane(5 << 20, native: true), lane(5 << 20), lane(10)]
  end
end
