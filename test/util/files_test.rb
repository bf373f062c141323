# frozen_string_literal: true

require "test_helper"
require "timeout"

module Spate
  module Util
    class FilesTest < Minitest::Test
      # The thread is interrupted or killed.
      def test_interrupted_write_leaves_no_file
        path = File.join(folder, "a.gemspec")
        [-> { raise Interrupt }, -> { Thread.exit }].each do |ending|
          text = Object.new
          text.define_singleton_method(:to_s) { ending.call }
          Thread.new { Files.write(path, text) }.tap { |thread| thread.report_on_exception = false }.join
        rescue Interrupt
          assert_empty Dir.children(folder)
        end

        assert_empty Dir.children(folder)
      end

      # mkdir below /proc fails with ENOENT although the parent folder exists.
      def test_folder_that_allows_no_folders
        skip "no /proc here" unless File.directory?("/proc/self")

        assert_raises(Errno::ENOENT) { Timeout.timeout(5) { Files.make_folder("/proc/x/store/v1") } }
      end

      # In the usual case no exception may be raised, because that would take as long as the rest.
      def test_no_exception_is_raised_internally
        raised = []
        trace = TracePoint.new(:raise) { |point| raised << point.raised_exception }
        trace.enable(target_thread: Thread.current) do
          [folder, "#{folder}/x/y/z"].each { |path| assert_equal path, Files.make_folder(path) }
        end

        assert_empty raised
      end

      def test_a_folder_is_made_with_those_above_it
        assert_equal "#{folder}/a/b/c", Files.make_folder("#{folder}/a/b/c", 0o700)
        assert_equal([0o700] * 3, %w[a a/b a/b/c].map { |path| File.stat("#{folder}/#{path}").mode & 0o777 })
        File.symlink("nowhere", "#{folder}/link")
        assert_raises(Errno::ENOENT) { Files.make_folder("#{folder}/link/below") }
      end

      def test_the_nearest_folder_that_exists
        assert_equal [folder, folder, "/"], [folder, "#{folder}/a/b", "/no/where"].map { |path| Files.nearest(path) }
      end

      def test_a_file_is_replaced_with_the_mode_that_was_asked_for
        path = write("a", "before")
        other = "#{folder}/b"
        File.link(path, other)
        Files.write(path, "after", mode: 0o751)
        assert_equal ["after", "before", 0o751], [File.read(path), File.read(other), File.stat(path).mode & 0o777]
        assert_raises(RuntimeError) { Files.replace(path) { |fresh| File.write(fresh, "x") && raise } }
        assert_equal %w[a b], Dir.children(folder).sort
      end

      # File.exist? is false for a dangling link.
      def test_link_that_cannot_be_renamed_leaves_no_temporary_file
        write("there/file", "")

        assert_raises(SystemCallError) do
          Files.replace("#{folder}/there") { |fresh| File.symlink("nowhere", fresh) }
        end
        assert_equal ["there"], Dir.children(folder)
      end
    end
  end
end
