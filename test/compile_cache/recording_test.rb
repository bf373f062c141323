# frozen_string_literal: true

require_relative "compile_cache_case"

module Spate
  module CompileCache
    class RecordingTest < CompileCacheCase
      def test_union_of_kinds_in_the_order_of_the_first
        recording = Recording.new.with("server", %w[/a /b /c]).with("rake", %w[/x /b /a]).with("server", %w[/b /d /a])
        assert_equal %w[/b /d /a /x], recording.paths
        assert_equal %w[server rake], recording.kinds.map(&:name)
      end

      def test_files_that_a_kind_no_longer_loads_are_removed
        recording = Recording.new.with("server", %w[/a /b]).with("rake", %w[/b /x]).with("rake", %w[/y])
        assert_equal %w[/a /b /y], recording.paths
      end

      def test_unfinished_boot_removes_nothing
        recording = Recording.new.with("server", %w[/a /b /c]).with("rake", %w[/x])
        recording = recording.with("server", %w[/b /d], whole: false)
        assert_equal %w[/b /d /a /c /x], recording.paths
        assert_equal %w[/b /x], recording.with("server", %w[/b]).paths
      end

      def test_unfinished_boots_are_marked
        path = "#{folder}/r.recording"
        Boot::Background::LoadedFiles.write(path, "server", %w[/a /b])
        Recording.collect(path)
        Boot::Background::LoadedFiles.write(path, "server", %w[/c], whole: false)
        assert_equal %w[/c /a /b], Recording.collect(path).paths
        Boot::Background::LoadedFiles.write(path, "server", %w[/c])
        assert_equal [["server"], %w[/c]], Recording.collect(path).then { |it| [it.kinds.map(&:name), it.paths] }
      end

      def test_kind_unused_for_longest_is_evicted
        recording = (0..Recording::KINDS).inject(Recording.new) do |sum, number|
          sum.with("kind #{number}", ["/#{number}"], time: Time.at(100 - number))
        end
        assert_equal Recording::KINDS, recording.kinds.size
        refute_includes recording.paths, "/#{Recording::KINDS - 1}"
      end

      def test_round_trip
        recording = Recording.new.with("a\tb\n", ["/ä b/c.rb", "relative", "/new\nline"]).with("rake", %w[/x])
        recording.save("#{folder}/r")
        read = Recording.load("#{folder}/r")
        assert_equal [["a b ", "rake"], ["/ä b/c.rb", "/x"]], [read.kinds.map(&:name), read.paths]
        assert_equal ["r"], Dir.children(folder)
        assert_equal 0o600, File.stat("#{folder}/r").mode & 0o777
      end

      def test_folders_of_the_load_path
        recording = Recording.new.with("server", %w[/app/lib/ /a/b.rb])
        assert_equal [["/a/b.rb"], ["/app/lib"]], [recording.paths, recording.folders]
      end

      def test_damaged_recordings_are_empty
        text = Recording.new.with("a", %w[/a /b]).to_s
        ["", "spate-recording 2\n\n1\t/a", "\xff\n\n", text.b.sub("/a", "\xff")].each do |damaged|
          assert_empty Recording.load(write("damaged.recording", damaged))
        end
        text.length.times { |length| Recording.load(write("short.recording", text[0, length])).paths }
        assert_empty Recording.load("#{folder}/none")
      end

      def test_paths_in_other_encodings_are_skipped
        path = "#{folder}/r.recording"
        Boot::Background::LoadedFiles.write(path, "kind", ["/a", "/\xff", "/ä", "/ö".encode("ISO-8859-1")])
        assert_equal ["/a", "/ä"], Recording.collect(path).paths
        assert_equal ["/a", "/ä"], Recording.load(path).paths
      end

      def test_boots_write_their_lists_and_a_builder_merges_them
        path = "#{folder}/r.recording"
        boots = (1..8).map do |number|
          fork { Boot::Background::LoadedFiles.write(path, "kind #{number}", ["/#{number}"]) && exit!(0) }
        end
        boots.each { |pid| Process.wait(pid) }
        assert_equal 8, Boot::Background::LoadedFiles.all(path).size
        assert_equal (1..8).map { |number| "/#{number}" }, Recording.collect(path).paths.sort
        assert_empty Boot::Background::LoadedFiles.all(path)
        assert_equal ["r.recording"], Dir.children(folder)
        assert_equal 8, Recording.collect(path).paths.size, "the recording stays"
      end
    end
  end
end
