# frozen_string_literal: true

require "test_helper"
require "spate/server/native/files"

module Spate
  module Server
    # Native::Folder follows no links if it is created with links = false, and updates the access time of files.
    class FolderTest < Minitest::Test
      def setup
        @path = write("www/sub/file.txt", "content")
        File.symlink("file.txt", "#{folder}/www/sub/link.txt")
        File.symlink("sub", "#{folder}/www/other")
        File.symlink("/etc/hostname", "#{folder}/www/out.txt")
      end

      # With openat2 and without.
      def test_no_link_is_followed
        [true, false].each do |beneath|
          root = Native::Folder.new("#{folder}/www", beneath, false)
          file = root.open("sub/file.txt")
          assert_predicate file, :file?
          %w[sub/link.txt other/file.txt out.txt].each do |name|
            found = root.open(name)
            refute found.is_a?(Native::Found) && found.file?, "#{name} #{beneath}"
          end
          refute root.same?("sub/link.txt", file)
        end
      end

      def test_access_time_is_updated
        root = Native::Folder.new("#{folder}/www")
        File.utime(1, 2, @path)
        sending = root.open("sub/file.txt")
        assert_equal 1, sending.atime / 1_000_000_000
        assert root.used("sub/file.txt")
        assert_in_delta Time.now.to_f, File.atime(@path).to_f, 60
        assert_equal 2, File.mtime(@path).to_i
        refute_predicate sending, :altered?, "what is being sent is what it was"
        refute root.used("sub/none.txt")
      end
    end
  end
end
