# frozen_string_literal: true

require "test_helper"
require "spate"

module Spate
  class PermissionErrorTest < Minitest::Test
    def denied(*paths, call: "rb_file_s_rename")
      PermissionError.of(Errno::EACCES.new(paths.one? ? paths.first : "(#{paths.join(", ")})", call))
    end

    def test_path_of_the_other_user_is_reported
      skip "needs root to give files away" unless Process.euid.zero?

      write("own/file", "")
      write("theirs/file", "")
      theirs = File.join(folder, "theirs")
      File.chown(65_533, nil, theirs)
      found = denied(File.join(folder, "own/file"), "#{theirs}/gems/new-1.0")
      assert_equal "#{theirs}/gems/new-1.0: permission denied; #{theirs} belongs to user 65533, this is root (user 0)",
                   found.message
      assert_match(/that user/, found.hint)
      assert_equal found.message, denied("#{theirs}/gems/new-1.0", File.join(folder, "own/file")).message
    end

    def test_own_path
      found = denied("#{folder}/none/file", call: "rb_sysopen")
      assert_equal ["#{folder}/none/file: permission denied", "make it writable: chmod u+rwX #{folder}"],
                   [found.message, found.hint]
    end

    def test_other_errors_have_no_reason
      assert_nil PermissionError.of(Errno::ENOENT.new("/x", "open"))
      assert_nil PermissionError.of(Errno::EACCES.new("no path"))
      assert_equal "Permission denied @ x - no path", Errno::EACCES.new("no path", "x").message
    end
  end
end
