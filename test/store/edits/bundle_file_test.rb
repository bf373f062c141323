# frozen_string_literal: true

require "test_helper"

module Spate
  class BundleFileTest < Minitest::Test
    # Most file systems limit a name to 255 bytes.
    def test_a_file_with_the_longest_name_gets_an_inode_of_its_own
      name = "n" * 255
      file = write(name, "text")
      File.link(file, File.join(folder, "other"))
      in_bundle = Store::Edits::BundleFile.at(folder, file)

      assert_equal 4, in_bundle.detach
      assert_equal [1, "text"], [File.stat(file).nlink, File.read(file)]
      assert_equal [name, "other"].sort, Dir.children(folder).sort
    end

    # After a kill at any point the file is unchanged, and the next attempt leaves no temporary file.
    def test_kill_at_any_point
      file = write("file", "text")
      File.link(file, File.join(folder, "other"))
      in_bundle = Store::Edits::BundleFile.at(folder, file)
      pid = fork do
        File.singleton_class.prepend(Module.new { def rename(*) = Process.kill(:KILL, Process.pid) })
        in_bundle.detach
      end
      assert_equal 9, Process.wait2(pid).last.termsig
      assert_equal ["text", 2], [File.read(file), File.stat(file).nlink]

      in_bundle.detach
      assert_equal ["text", 1, %w[file other]], [File.read(file), File.stat(file).nlink, Dir.children(folder).sort]
    end
  end
end
