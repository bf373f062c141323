# frozen_string_literal: true

require "test_helper"

module Spate
  module Util
    class PathConflictTest < Minitest::Test
      def of
        yield
        flunk "nothing failed"
      rescue SystemCallError => e
        PathConflict.of(e)&.message
      end

      def test_obstacle_in_place_of_a_folder
        file = write("file", "")
        File.symlink("nowhere", link = File.join(folder, "link"))
        FileUtils.mkdir_p(deep = File.join(folder, "a/b"))
        File.symlink(deep, File.join(folder, "fine"))
        assert_equal "#{file} is a file: expected a folder, for #{file}/x/y", of { File.open("#{file}/x/y") }
        assert_equal "#{link} is a symbolic link: expected a folder, for #{link}/x", of { File.open("#{link}/x") }
        assert_equal "#{deep} is a folder: expected a file", of { File.read(deep) }
        assert_equal "#{file} is a file: expected a folder", of { Dir.children(file) }
        assert_equal "#{deep} is a folder: expected nothing", of { Dir.mkdir(deep) }
        [-> { File.open("#{folder}/fine/x") }, -> { File.open("#{folder}/x") }, -> { raise Errno::EPIPE }]
          .each { |fails| assert_nil(of { fails.call }) }
      end

      def test_links_below_a_root_are_not_followed
        FileUtils.mkdir_p(File.join(folder, "root/a"))
        File.symlink("a", link = File.join(folder, "root/link"))
        File.symlink("root", above = File.join(folder, "above"))
        root = File.join(folder, "root")
        path = "#{link}/x"
        assert_equal "#{link} is a symbolic link: expected a folder, for #{path}",
                     PathConflict.new(path, Errno::ENOTDIR::Errno, root: root).message
        assert_equal "#{path}: Not a directory", PathConflict.new(path, Errno::ENOTDIR::Errno).message
        refute_predicate PathConflict.new("#{above}/a/x", Errno::ENOENT::Errno, root: above), :there?
      end
    end
  end
end
