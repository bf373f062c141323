# frozen_string_literal: true

require "compile_cache/compile_cache_case"

module Spate
  module Boot
    class CompileCacheFolderTest < CompileCache::CompileCacheCase
      def test_paths_are_stable_and_distinct
        app, gems_rb, bare = ["/app/Gemfile", "/app/gems.rb", nil].map { |gemfile| Application.new("/app", gemfile) }
        paths = [caches.gem_path("/g/a", "1"), caches.gem_path("/g/a", "2"), caches.gem_path("/g/b", "1"),
                 caches.application_path(app), caches.application_path(gems_rb), caches.overlay_path(app),
                 caches.application_path(bare)]
        assert_equal paths, paths.uniq
        assert_equal paths.first, CompileCacheFolder.new("#{folder}/store").gem_path("/g/a", "1")
        paths.each { |path| assert_match(%r{\A#{folder}/store/compile-cache/\h{32}/\w+/\h{32}\.compiled\z}, path) }
      end

      def test_folders_writable_by_others_are_not_used
        assert_predicate caches, :usable_folder?
        caches.make
        assert_predicate fresh, :usable_folder?
        File.chmod(0o777, "#{caches.folder}/gems")
        assert_match(%r{/gems can be written by others \(mode 777\)}, fresh.refusal)
        refute_predicate fresh, :writable?
        File.chmod(0o755, "#{caches.folder}/gems")
        assert_nil fresh.refusal
      end

      def test_trust_of_the_store
        caches.make
        File.chmod(0o777, "#{caches.folder}/gems")
        ENV["SPATE_TRUST_STORE"] = "1"
        assert_nil fresh.refusal
      ensure
        ENV.delete("SPATE_TRUST_STORE")
      end

      # root may have made a compile cache in a lower layer of a container; the container's user may read it.
      def test_other_users_can_only_read
        made = dig { caches.make && Native::CompileCache.write(application_path, key: key, data: {}) }
        assert_equal [0o755, 0o755, 0o644], made
        FileUtils.rm_rf("#{folder}/store")
        made = dig(0o027) { caches.make && Native::CompileCache.write(application_path, key: key) }
        assert_equal [0o750, 0o750, 0o640], made
      end

      def test_a_compile_cache_of_root_serves_a_user
        skip "only root can become another user" unless Process.euid.zero?

        File.chmod(0o755, folder)
        dig { caches.make && Native::CompileCache.write(application_path, key: key, data: { "a" => "b" }) }
        read, written = IO.pipe
        pid = fork do
          Process::Sys.setuid(12_345)
          written.write([cache(application_path).data("a"), fresh.refusal, fresh.writable?({})].inspect)
          exit!(true)
        end
        Process.wait(pid)
        written.close
        assert_equal ["b", nil, false].inspect, read.read
      end

      def test_target_of_a_linked_folder_is_checked
        FileUtils.mkdir_p(["#{folder}/elsewhere", "#{folder}/store"])
        File.symlink("#{folder}/elsewhere", "#{folder}/store/compile-cache")
        assert_nil fresh.refusal
        File.chmod(0o777, "#{folder}/elsewhere")
        assert_match(%r{/elsewhere can be written by others}, fresh.refusal)
      end

      def test_a_folder_of_another_user
        skip "only root can give a folder away" unless Process.euid.zero?

        caches.make
        File.chown(12_345, nil, caches.folder)
        assert_match(/belongs to user 12345/, fresh.refusal)
      end

      def test_read_only_environment_prevents_writing
        assert caches.writable?({})
        refute caches.writable?("SPATE_READONLY" => "1")
        refute_path_exists caches.folder
      end

      def test_use_is_recorded_once_a_day
        path = write("compile_cache", "")
        old = Time.now - (3 * CompileCacheFolder::DAY)
        File.utime(old, old, path)
        assert CompileCacheFolder.touch(path)
        touched = File.mtime(path)
        assert_operator touched, :>, old
        assert CompileCacheFolder.touch(path, now: Time.now + 100)
        assert_equal touched, File.mtime(path)
        refute CompileCacheFolder.touch("#{folder}/none")
      end

      def test_the_key_of_a_ruby
        assert_match(/\A\h{32}\z/, RubyKey.current)
        assert_equal RubyKey.current, key_of
        assert_equal RubyKey.current, key_of("-w"), "warnings change no blob"
        refute_equal RubyKey.current, key_of("--enable=frozen-string-literal")
      end

      private

      # Modes of the folders and the compile cache that the block creates.
      def dig(umask = 0o022)
        before = File.umask(umask)
        yield
        [caches.folder, File.dirname(application_path), application_path].map { |path| File.stat(path).mode & 0o777 }
      ensure
        File.umask(before)
      end

      def fresh = CompileCacheFolder.new("#{folder}/store")

      def key_of(*options)
        script = "require 'spate/native/boot'; require 'spate/boot/ruby_key'; print Spate::Boot::RubyKey.current"
        Open3.capture2("ruby", "--disable-gems", *options, "-I#{LIBRARY}", "-e", script).first
      end
    end
  end
end
