# frozen_string_literal: true

require_relative "ear_case"

module Spate
  # Single calls through libc, with and without hooks, and from a static program.
  class EarDeedsTest < EarCase
    def test_reading_and_looking
      write("a", "text")
      File.symlink("a", "#{folder}/link")
      each_way do |way|
        heard = deeds(%w[open a stat b access c lstat link readlink link readlink a], **way)
        assert_equal %i[read link], kinds(heard, "a"), way
        assert_equal [:absent], kinds(heard, "b")
        assert_equal [:absent], kinds(heard, "c")
        assert_equal %i[looked link], kinds(heard, "link")
        assert_empty heard.trouble
      end
    end

    def test_files_opened_as_folders
      %w[a b c].each { |name| write(name, "") }
      each_way do |way|
        heard = deeds(%w[stat a/ list b open c/none/x], **way)
        assert_equal [[:looked], [:looked], [:absent]], [kinds(heard, "a"), kinds(heard, "b"), kinds(heard, "c/none/x")]
      end
    end

    def test_calls_without_a_libc_function
      write("a", "")
      each_way do |way|
        heard = deeds(%w[openat2 a rawopen b], **way)
        assert_equal [:read], kinds(heard, "a")
        assert_equal [:absent], kinds(heard, "b")
      end
    end

    def test_listing
      FileUtils.mkdir_p(%w[a b c].map { |name| "#{folder}/#{name}" })
      each_way do |way|
        heard = deeds(%w[list a listplain b opendir c], **way)
        assert_equal %i[looked listed], kinds(heard, "a")
        assert_equal %i[read listed], kinds(heard, "b")
        assert_equal [:looked], kinds(heard, "c"), "opened, and not listed"
      end
    end

    def test_relative_to_folders
      write("sub/a", "")
      write("sub/b", "")
      each_way do |way|
        heard = deeds(%w[folder9 sub below a below none chdir sub open b open ./../sub//none2], **way)
        assert_equal [:read], kinds(heard, "sub/a")
        assert_equal [:absent], kinds(heard, "sub/none")
        assert_equal [:read], kinds(heard, "sub/b")
        assert_equal [:looked], kinds(heard, "sub")
        assert_equal [:absent], heard.to_h["#{folder}/sub/../sub/none2"]
      end
    end

    def test_a_working_folder_that_is_renamed
      each_way do |way|
        FileUtils.mkdir_p("#{folder}/old")
        write("old/a", "")
        heard = Ear.hear(**way.slice(:hooks)) do |ear|
          pid = Process.spawn(ear.environment, *ear.command(way[:static] ? static_deeds : dynamic_deeds, "open", "a",
                                                            "sleep", "400", "open", "./a", "open", "b"),
                              chdir: "#{folder}/old", out: "#{folder}/out", **ear.options)
          sleep 0.01 until File.size?("#{folder}/out")
          File.rename("#{folder}/old", "#{folder}/new")
          Process.wait(pid)
        end
        assert_equal [:read], kinds(heard, "old/a")
        assert_equal [:read], kinds(heard, "new/a")
        assert_equal [:absent], kinds(heard, "new/b")
        FileUtils.rm_rf("#{folder}/new")
      end
    end

    def test_writing
      each_way do |way|
        %w[a b e].each { |name| write(name, "text") }
        FileUtils.rm_rf(%w[c d f g].map { |name| "#{folder}/#{name}" })
        heard = deeds(%w[create a truncate b create c open c exclusive d stat f mkdir f append e unlink a create none/x
                         exclusive b], **way)
        assert_equal %i[read written looked], kinds(heard, "a")
        assert_equal %i[written looked], kinds(heard, "b")
        assert_equal %i[written read], kinds(heard, "c")
        assert_equal [:written], kinds(heard, "d")
        assert_equal %i[looked written], kinds(heard, "e")
        assert_equal %i[absent written], kinds(heard, "f")
        assert_equal [:absent], kinds(heard, "none")
        assert_nil kinds(heard, "none/x")
      end
    end

    def test_children_of_all_kinds
      each_way do |way|
        heard = deeds(%w[vfork a fork b setsid c], **way)
        %w[a b c].each { |name| assert_equal [:absent], kinds(heard, name), "#{name} #{way}" }
        assert_empty heard.trouble
      end
    end

    def test_programs_and_their_shebangs
      write("script", "#! #{RbConfig.ruby} -W0\nputs 1\n", mode: 0o755)
      write("plain", "")
      heard = deeds("exec", "none", "exec", "plain", "exec", "script")
      assert_equal [:absent], kinds(heard, "none")
      assert_equal [:looked], kinds(heard, "plain")
      assert_equal :run, kinds(heard, "script").first
      assert_includes heard.to_h[RbConfig.ruby], :run
      assert_includes kinds(deeds("execfd", "script"), "script"), :run
    end

    def test_escapes_are_refused_or_reported
      heard = deeds(%w[io_uring x clone3 x])
      assert_equal "io_uring -1 #{Errno::ENOSYS::Errno}\nclone3 -1 #{Errno::ENOSYS::Errno}\n", @output
      assert_empty heard.trouble
      { "chroot" => /chroot/, "unshare" => /unshare/, "mount" => /mount/, "cloneuser" => /namespace/,
        "inet" => /network/, "datagram" => /network/, "shared" => /shmget/,
        "rooted" => /root of its own/, "removed" => %r{removed: \.\./plain}, "x32" => /architecture/,
        "int80" => /architecture/, "unknown" => /unknown system call: 9999/ }.each do |deed, reason|
        each_way do |way|
          assert_match reason, deeds(deed, "/nowhere", **way).trouble.join("\n"), "#{deed} #{way}"
        end
      end
    end

    def test_sockets_have_paths
      server = UNIXServer.new("#{folder}/socket")
      each_way do |way|
        heard = deeds(%w[connect socket connect none], **way)
        assert_equal [:connected], kinds(heard, "socket")
        assert_equal [:absent], kinds(heard, "none")
        assert_empty heard.trouble
      end
    ensure
      server&.close
    end

    def test_signals_interrupt_no_emulated_call
      deeds("interrupted", "a")
      assert_equal "interrupted 0 0\n", @output
    end

    def test_file_descriptors_are_used_up
      write("a", "")
      heard = deeds(%w[nofiles a])
      assert_equal "nofiles -1 #{Errno::EMFILE::Errno}\n", @output
      assert_match(/descriptors were used up/, heard.trouble.join)
      assert_equal [:read], kinds(deeds(%w[nofiles a], hooks: false), "a"), "what the listener foresees"
    end

    def test_long_paths
      each_way do |way|
        heard = deeds(%w[longname x badaddress x], **way)
        assert_empty heard.trouble
        assert_equal "longname -1 #{Errno::ENAMETOOLONG::Errno}\nbadaddress -2 #{Errno::EFAULT::Errno}\n", @output
        assert_match(/without a path|too long/, deeds(%w[deep none], **way).trouble.join, way)
      end
    end

    def test_names_of_environment_variables
      heard = deeds("getenv", "HOME", "secure_getenv", "NOT_THERE", "getenv", "LD_PRELOAD")
      assert_equal %w[HOME NOT_THERE], heard.names - %w[PATH]
    end

    def test_ignored_folders
      write("tree/a", "")
      write("b", "")
      each_way do |way|
        heard = deeds(%w[open tree/a stat tree/sub/none open tree/../b stat trees stat /proc/self/status open /dev/null
                         open /proc/cpuinfo], ignore: ["#{folder}/tree"], **way)
        assert_nil kinds(heard, "tree/a")
        assert_equal [:read], heard.to_h["#{folder}/tree/../b"]
        assert_equal [:absent], kinds(heard, "trees")
        assert_equal [:read], heard.to_h["/proc/cpuinfo"]
        assert_empty heard.paths.grep(%r{/dev/|/proc/self|tree/a|sub/none})
      end
    end

    def test_links_out_of_an_ignored_folder
      write("outside/file", "")
      FileUtils.mkdir_p("#{folder}/tree")
      heard = hear("ln", "-s", "../outside/file", "tree/one", ignore: ["#{folder}/tree"])
      assert_includes heard.to_h["#{folder}/tree/../outside/file"], :read
      heard = hear("ln", "-s", "#{folder}/outside", "tree/two", ignore: ["#{folder}/tree"])
      assert_match(/a link out of an ignored folder/, heard.trouble.join)
      heard = hear("ln", "-s", "one", "tree/three", ignore: ["#{folder}/tree"])
      assert_empty heard.trouble
    end

    def test_full_table
      heard = hear("sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do test -e /none/$i; done", slots: 8)
      assert_includes heard.trouble, "overflow"
      assert_includes hear("true", bytes: 64).trouble, "overflow"
    end
  end
end
