# frozen_string_literal: true

require "test_helper"

module Spate
  class PlaceTest < Minitest::Test
    Root = Struct.new(:root)

    # 255 bytes are what a name may have on most file systems.
    def test_a_file_with_the_longest_name_gets_an_inode_of_its_own
      name = "n" * 255
      file = write(name, "text")
      File.link(file, File.join(folder, "other"))
      place = Store::Edits::Place.new(bundle: Root.new(folder), inside: name)

      assert_equal 4, place.detach
      assert_equal [1, "text"], [File.stat(file).nlink, File.read(file)]
      assert_equal [name, "other"].sort, Dir.children(folder).sort
    end
  end
end
