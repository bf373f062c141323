# frozen_string_literal: true

require "test_helper"
require "open3"

module Spate
  class Store
    class StorePlaceTest < Minitest::Test
      StorePlace = Util::StorePlace
      LIB = File.expand_path("../../lib", __dir__)

      def test_own_variable_comes_first
        assert_equal "/a/b", StorePlace.home("SPATE_HOME" => "/a/b/", "XDG_CACHE_HOME" => "/x", "HOME" => "/h")
      end

      def test_cache_folder_then_home
        assert_equal "/x/spate", StorePlace.home("SPATE_HOME" => "", "XDG_CACHE_HOME" => "/x", "HOME" => "/h")
        assert_equal "/h/.cache/spate", StorePlace.home("XDG_CACHE_HOME" => "relative", "HOME" => "/h")
      end

      def test_is_where_rubygems_keeps_its_cache
        assert_equal File.join(Gem.cache_home, "spate"), StorePlace.home(ENV)
      end

      def test_relative_home_is_refused
        error = assert_raises(Util::NoHome) { StorePlace.home("SPATE_HOME" => "tmp/spate") }
        assert_includes error.message, "tmp/spate"
        assert_equal [9, "use an absolute path: #{File.expand_path("tmp/spate")}"],
                     [error.exit_code, error.hint]
      end

      def test_without_home_the_passwd_entry_counts
        require "etc"
        assert_equal File.join(Etc.getpwuid.dir, ".cache/spate"), StorePlace.home({})
      end

      def test_no_home_at_all
        skip "needs root to run as a user without a home" unless Process.euid.zero?

        script = 'require "spate"; begin; Spate::Store.open; rescue Spate::Error => e; puts e.message, e.hint; end'
        output = as_stranger(script, 54_321, env: { "HOME" => nil, "SPATE_HOME" => nil, "XDG_CACHE_HOME" => nil })
        assert_match(/no folder for the store: HOME is not set and user 54321 has no home folder/, output)
        assert_match(/set SPATE_HOME/, output)
      end

      def test_store_of_another_user_is_refused
        skip "needs root to give a folder away" unless Process.euid.zero?

        File.chown(54_321, nil, home = File.join(folder, "home").tap { |path| Dir.mkdir(path) })
        error = assert_raises(Untrusted) { Store.open(home: home, env: {}) }
        assert_equal "#{home} belongs to user 54321, this is user 0", error.message
        assert_includes error.hint, "sudo"
        assert Store.open(home: home, env: { "SPATE_TRUST_STORE" => "1" })
      end

      def test_folders_above_the_store_are_checked
        home = File.join(folder, "a/home")
        FileUtils.mkdir_p(home)
        [[0o755, nil], [0o1777, nil], [0o775, nil], [0o777, "#{folder}/a is writable for every user (mode 0777)"]]
          .each do |mode, message|
            File.chmod(mode, "#{folder}/a")
            assert_equal [message].compact, refused(home), mode.to_s(8)
          end
      end

      # Both the folder that contains the link and its target are checked.
      def test_links_above_the_store_are_followed
        FileUtils.mkdir_p("#{folder}/open/home")
        File.symlink("open", "#{folder}/link")
        assert_empty refused("#{folder}/link/home")
        File.chmod(0o777, "#{folder}/open")
        assert_match(%r{/open is writable}, refused("#{folder}/link/home").first)
      end

      def test_another_user_may_read_roots_store_only
        skip "needs root to run as another user" unless Process.euid.zero?

        File.chmod(0o755, folder)
        Store.open(home: home = File.join(folder, "home"), env: {}).write("checks", "key", "text")
        script = 'require "spate"; s = Spate::Store.open(home: ARGV[0]); p s.writable?, s.read("checks", "key"), ' \
                 's.write("checks", "other", "x"), s.lock("store") { :held }'
        assert_equal "false\n\"text\"\nfalse\n:held\n", as_stranger(script, 54_321, home)
      end

      def test_world_writable_store_is_refused
        home = File.join(folder, "home")
        Store.open(home: home, env: {}).write("checks", "key", "text")
        File.chmod(0o777, File.join(home, "store/v1"))
        error = assert_raises(Untrusted) { Store.open(home: home, env: {}) }
        assert_match(/every user \(mode 0777\)/, error.message)
      end

      def test_permissions_do_not_depend_on_the_umask
        old = File.umask(0)
        store = Store.open(home: File.join(folder, "home"), env: {})
        store.write("checks", "key", "text")
        assert_equal 0o755, File.stat(store.root).mode & 0o777
        assert_equal 0o644, File.stat(store.path("checks", "key")).mode & 0o777
      ensure
        File.umask(old)
      end

      private

      # The messages of a rejected store; empty if the store can be opened.
      def refused(home)
        Store.open(home: home, env: {})
        []
      rescue Error => e
        [e.message]
      end

      # Runs a script as another user, with a copy of the library that this user can read.
      def as_stranger(script, uid, *arguments, env: {})
        File.chmod(0o755, folder)
        FileUtils.cp_r(LIB, File.join(folder, "lib"))
        FileUtils.chmod_R("a+rX", File.join(folder, "lib"))
        change = "Process::Sys.setgid(#{uid}); Process::Sys.setuid(#{uid}); "
        command = [RbConfig.ruby, "--disable-gems", "-I#{folder}/lib", "-e", change + script, *arguments]
        output, status = Open3.capture2e(env, *command, chdir: "/")
        assert status.success?, output
        output
      end
    end
  end
end
