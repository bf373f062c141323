# frozen_string_literal: true

require "test_helper"

module Spate
  module Install
    class ArchiveCheckTest < Minitest::Test
      BOOT_ID = "/proc/sys/kernel/random/boot_id"

      def setup
        @path = write("archive.gem", "content")
        @sha256 = Native.sha256("content")
      end

      def test_a_sealed_archive_is_not_read_again
        assert Fetch::ArchiveCheck.intact?(@path, @sha256)
        damage
        assert Fetch::ArchiveCheck.intact?(@path, @sha256), "the time alone decides"
        File.utime(nil, nil, @path)
        refute Fetch::ArchiveCheck.intact?(@path, @sha256)
        refute Fetch::ArchiveCheck.intact?("#{@path}.gone", @sha256)
      end

      def test_an_archive_sealed_in_another_boot_is_hashed_once
        assert in_another_boot
        refute_equal Fetch::ArchiveCheck.time, File.mtime(@path)
        damage
        refute Fetch::ArchiveCheck.intact?(@path, @sha256), "the seal of the other boot does not count"
        File.binwrite(@path, "content")
        in_another_boot
        assert Fetch::ArchiveCheck.intact?(@path, @sha256)
        assert_equal Fetch::ArchiveCheck.time, File.mtime(@path)
      end

      def test_many_archives_are_distinguished_and_right_ones_are_sealed
        names = %w[right wrong gone folder sealed]
        right, wrong, gone, folder, sealed = names.map { |name| "#{File.dirname(@path)}/#{name}" }
        [right, sealed].each { |path| File.binwrite(path, "content") }
        File.binwrite(wrong, "CONTENT")
        Dir.mkdir(folder)
        Fetch::ArchiveCheck.mark(sealed)
        many = Array.new(40) { |index| write("many/#{index}", "content") }

        found = Fetch::ArchiveCheck.intact([right, wrong, gone, folder, sealed, *many].to_h { |path| [path, @sha256] })
        assert_equal [right, sealed, *many].sort, found.keys.sort
        assert([right, *many].all? { |path| File.mtime(path) == Fetch::ArchiveCheck.time })
        refute_equal Fetch::ArchiveCheck.time, File.mtime(wrong)
        assert_empty Fetch::ArchiveCheck.intact({})
      end

      def test_seals_survive_times_in_steps_of_two_seconds
        assert_equal 0, Fetch::ArchiveCheck.time.to_i % Fetch::ArchiveCheck::STEP
        assert_equal 0, Fetch::ArchiveCheck.time.nsec
        assert_includes 1985..1986, Fetch::ArchiveCheck.time.year
      end

      def test_a_copy_of_a_file_that_changed_since_it_was_verified_is_hashed
        seen = settled
        assert copy(seen), "nothing changed"
        File.utime(1, 1, @path)
        assert copy(seen), "only its times changed"
        assert copy(nil)
        File.binwrite(@path, "CONTENT")
        refute copy(seen)
        refute copy(nil)
      end

      def test_file_too_young_to_detect_a_change_is_not_sealed
        File.binwrite(@path, "content")
        assert_nil Fetch::ArchiveCheck.stable_stat(@path)
      end

      private

      # Copies the archive. If this succeeds, the copy is recorded as verified; if it fails, no file is left.
      def copy(seen)
        target = "#{folder}/store.gem"
        FileUtils.rm_f(target)
        done = Fetch::ArchiveCheck.copy(@path, target, @sha256, seen: seen, temporary: "#{folder}/part")
        assert_equal done, File.exist?(target)
        assert_equal Fetch::ArchiveCheck.time, File.mtime(target) if done
        refute_path_exists "#{folder}/part"
        done
      end

      def settled
        sleep 0.002 until (seen = Fetch::ArchiveCheck.stable_stat(@path))
        seen
      end

      # Simulates a power failure: other content with the old times.
      def damage
        time = File.mtime(@path)
        File.binwrite(@path, "CONTENT")
        File.utime(time, time, @path)
      end

      def in_another_boot
        skip "needs root for a mount" unless Process.euid.zero?
        skip "no mount namespaces here" unless system("unshare", "-m", "true", err: File::NULL)

        id = write("boot_id", "00000000-1111-2222-3333-444444444444\n")
        script = "require 'spate'; exit Spate::Install::Fetch::ArchiveCheck.intact?(ARGV[0], ARGV[1])"
        command = ["mount --bind \"$1\" #{BOOT_ID} && shift && exec \"$@\"", "sh", id, RbConfig.ruby, "--disable-gems",
                   "-I#{File.expand_path("../../../lib", __dir__)}", "-e", script, @path, @sha256]
        system("unshare", "-m", "sh", "-c", *command)
      end
    end
  end
end
