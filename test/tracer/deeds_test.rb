# frozen_string_literal: true

require_relative "tracer_case"

module Spate
  # The trace records each kind of call: through libc, with and without hooks, and from a statically linked program.
  class TracerDeedsTest < TracerCase
    def test_reading_and_looking
      write("a", "text")
      File.symlink("a", "#{folder}/link")
      each_way do |way|
        trace = deeds(%w[open a stat b access c lstat link readlink link readlink a], **way)
        assert_equal %i[read link], kinds(trace, "a"), way
        assert_equal [:absent], kinds(trace, "b")
        assert_equal [:absent], kinds(trace, "c")
        assert_equal %i[looked link], kinds(trace, "link")
        assert_empty trace.trouble
      end
    end

    def test_files_opened_as_folders
      %w[a b c].each { |name| write(name, "") }
      each_way do |way|
        trace = deeds(%w[stat a/ list b open c/none/x], **way)
        assert_equal [[:looked], [:looked], [:absent]], [kinds(trace, "a"), kinds(trace, "b"), kinds(trace, "c/none/x")]
      end
    end

    def test_calls_without_a_libc_function
      write("a", "")
      each_way do |way|
        trace = deeds(%w[openat2 a rawopen b], **way)
        assert_equal [:read], kinds(trace, "a")
        assert_equal [:absent], kinds(trace, "b")
      end
    end

    def test_listing
      FileUtils.mkdir_p(%w[a b c].map { |name| "#{folder}/#{name}" })
      each_way do |way|
        trace = deeds(%w[list a listplain b opendir c], **way)
        assert_equal %i[looked listed], kinds(trace, "a")
        assert_equal %i[read listed], kinds(trace, "b")
        assert_equal [:looked], kinds(trace, "c"), "opened, and not listed"
      end
    end

    def test_relative_to_folders
      write("sub/a", "")
      write("sub/b", "")
      each_way do |way|
        trace = deeds(%w[folder9 sub below a below none chdir sub open b open ./../sub//none2], **way)
        assert_equal [:read], kinds(trace, "sub/a")
        assert_equal [:absent], kinds(trace, "sub/none")
        assert_equal [:read], kinds(trace, "sub/b")
        assert_equal [:looked], kinds(trace, "sub")
        assert_equal [:absent], trace.to_h["#{folder}/sub/../sub/none2"]
      end
    end

    def test_a_working_folder_that_is_renamed
      each_way do |way|
        FileUtils.mkdir_p("#{folder}/old")
        write("old/a", "")
        trace = Tracer.trace(**way.slice(:hooks)) do |tracer|
          pid = Process.spawn(tracer.environment, *tracer.command(way[:static] ? static_deeds : dynamic_deeds, "open",
                                                                  "a",
                                                                  "sleep", "400", "open", "./a", "open", "b"),
                              chdir: "#{folder}/old", out: "#{folder}/out", **tracer.options)
          sleep 0.01 until File.size?("#{folder}/out")
          File.rename("#{folder}/old", "#{folder}/new")
          Process.wait(pid)
        end
        assert_equal [:read], kinds(trace, "old/a")
        assert_equal [:read], kinds(trace, "new/a")
        assert_equal [:absent], kinds(trace, "new/b")
        FileUtils.rm_rf("#{folder}/new")
      end
    end

    def test_writing
      each_way do |way|
        %w[a b e].each { |name| write(name, "text") }
        FileUtils.rm_rf(%w[c d f g].map { |name| "#{folder}/#{name}" })
        trace = deeds(%w[create a truncate b create c open c exclusive d stat f mkdir f append e unlink a create none/x
                         exclusive b], **way)
        assert_equal %i[read written looked], kinds(trace, "a")
        assert_equal %i[written looked], kinds(trace, "b")
        assert_equal %i[written read], kinds(trace, "c")
        assert_equal [:written], kinds(trace, "d")
        assert_equal %i[looked written], kinds(trace, "e")
        assert_equal %i[absent written], kinds(trace, "f")
        assert_equal [:absent], kinds(trace, "none")
        assert_nil kinds(trace, "none/x")
      end
    end

    def test_children_of_all_kinds
      each_way do |way|
        trace = deeds(%w[vfork a fork b setsid c], **way)
        %w[a b c].each { |name| assert_equal [:absent], kinds(trace, name), "#{name} #{way}" }
        assert_empty trace.trouble
      end
    end

    def test_programs_and_their_shebangs
      write("script", "#! #{RbConfig.ruby} -W0\nputs 1\n", mode: 0o755)
      write("plain", "")
      trace = deeds("exec", "none", "exec", "plain", "exec", "script")
      assert_equal [:absent], kinds(trace, "none")
      assert_equal [:looked], kinds(trace, "plain")
      assert_equal :run, kinds(trace, "script").first
      assert_includes trace.to_h[RbConfig.ruby], :run
      assert_includes kinds(deeds("execfd", "script"), "script"), :run
    end

    def test_escapes_are_refused_or_reported
      trace = deeds(%w[io_uring x clone3 x])
      assert_equal "io_uring -1 #{Errno::ENOSYS::Errno}\nclone3 -1 #{Errno::ENOSYS::Errno}\n", @output
      assert_empty trace.trouble
      { "chroot" => /chroot/, "unshare" => /unshare/, "mount" => /mount/, "cloneuser" => /namespace/,
        "inet" => /network/, "datagram" => /network/, "shared" => /shmget/,
        "rooted" => /separate root/, "removed" => %r{removed: \.\./plain}, "x32" => /architecture/,
        "unknown" => /unknown system call: 9999/ }.each do |deed, reason|
        each_way do |way|
          assert_match reason, deeds(deed, "/nowhere", **way).trouble.join("\n"), "#{deed} #{way}"
        end
      end
    end

    def test_calls_of_32_bit_programs_are_reported
      opened, = Open3.capture2(dynamic_deeds, "int80", "/")
      skip "this kernel has no calls for 32-bit programs" unless opened == "int80 1 0\n"

      each_way { |way| assert_match(/architecture/, deeds("int80", "/nowhere", **way).trouble.join("\n")) }
    end

    def test_sockets_have_paths
      server = UNIXServer.new("#{folder}/socket")
      each_way do |way|
        trace = deeds(%w[connect socket connect none], **way)
        assert_equal [:connected], kinds(trace, "socket")
        assert_equal [:absent], kinds(trace, "none")
        assert_empty trace.trouble
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
      trace = deeds(%w[nofiles a])
      assert_equal "nofiles -1 #{Errno::EMFILE::Errno}\n", @output
      assert_match(/descriptors were used up/, trace.trouble.join)
      assert_equal [:read], kinds(deeds(%w[nofiles a], hooks: false), "a"), "what the listener foresees"
    end

    def test_long_paths
      each_way do |way|
        trace = deeds(%w[longname x badaddress x], **way)
        assert_empty trace.trouble
        assert_equal "longname -1 #{Errno::ENAMETOOLONG::Errno}\nbadaddress -2 #{Errno::EFAULT::Errno}\n", @output
        assert_match(/without a path|too long/, deeds(%w[deep none], **way).trouble.join, way)
      end
    end

    def test_names_of_environment_variables
      trace = deeds("getenv", "HOME", "secure_getenv", "NOT_THERE", "getenv", "LD_PRELOAD")
      assert_equal %w[HOME NOT_THERE], trace.names - %w[PATH]
    end

    def test_ignored_folders
      write("tree/a", "")
      write("b", "")
      each_way do |way|
        trace = deeds(%w[open tree/a stat tree/sub/none open tree/../b stat trees stat /proc/self/status open /dev/null
                         open /proc/cpuinfo], ignore: ["#{folder}/tree"], **way)
        assert_nil kinds(trace, "tree/a")
        assert_equal [:read], trace.to_h["#{folder}/tree/../b"]
        assert_equal [:absent], kinds(trace, "trees")
        assert_equal [:read], trace.to_h["/proc/cpuinfo"]
        assert_empty trace.paths.grep(%r{/dev/|/proc/self|tree/a|sub/none})
      end
    end

    def test_links_out_of_an_ignored_folder
      write("outside/file", "")
      FileUtils.mkdir_p("#{folder}/tree")
      trace = traced("ln", "-s", "../outside/file", "tree/one", ignore: ["#{folder}/tree"])
      assert_includes trace.to_h["#{folder}/tree/../outside/file"], :read
      trace = traced("ln", "-s", "#{folder}/outside", "tree/two", ignore: ["#{folder}/tree"])
      assert_match(/a link out of an ignored folder/, trace.trouble.join)
      trace = traced("ln", "-s", "one", "tree/three", ignore: ["#{folder}/tree"])
      assert_empty trace.trouble
    end

    def test_full_table
      trace = traced("sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do test -e /none/$i; done", slots: 8)
      assert_includes trace.trouble, "overflow"
      assert_includes traced("true", bytes: 64).trouble, "overflow"
    end
  end
end
