# frozen_string_literal: true

require_relative "tracer_case"

module Spate
  # In a read-only trace, a command and its child processes cannot change any file.
  class TracerReadOnlyTest < TracerCase
    CHANGES = {
      "create" => "new", "append" => "a", "truncate" => "a", "exclusive" => "new", "mkdir" => "new", "unlink" => "a",
      "rmdir" => "folder", "chmod" => "a"
    }.freeze

    CHANGES.each do |deed, name|
      define_method("test_#{deed}") do
        write("a", "text", mode: 0o644)
        FileUtils.mkdir_p("#{folder}/folder")
        before = state
        each_way do |way|
          trace = deeds([deed, name], read_only: true, **way)
          assert_equal "#{deed} -1 #{Errno::EROFS::Errno}\n", @output, way
          assert_includes trace.written, "#{folder}/#{name}", way
          assert_equal before, state, way
        end
      end
    end

    def test_error_of_a_call_that_fails_without_the_tracer_too
      write("a", "text")
      each_way do |way|
        trace = deeds(%w[unlink none mkdir a exclusive a create none/x], read_only: true, **way)
        errors = [Errno::ENOENT, Errno::EEXIST, Errno::EEXIST, Errno::ENOENT].map { |error| error::Errno.to_s }
        assert_equal errors, @output.lines.map { |line| line.split.last }, way
        assert_empty trace.written
      end
    end

    # Child processes cannot change files either, even if they outlive their parent.
    def test_all_child_processes_are_read_only
      write("a", "text")
      before = state
      command = "echo x > a; rm -f a; touch b; mkdir c; chmod 0 a; mv a d; ln a e; (setsid sh -c 'echo x > a' &); " \
                "echo $(cat a) 2> /dev/null > /dev/null && echo read"
      trace = traced("/bin/sh", "-c", command, read_only: true)
      assert_equal before, state
      assert_includes @output.lines, "read\n"
      %w[a b c].each { |name| assert_includes trace.written, "#{folder}/#{name}" }
      refute_includes trace.trouble, "still running"
    end

    # Git opens /dev/null for writing whenever it starts.
    def test_null_device_where_the_kernel_passes_no_file_descriptor
      write("a", "text")
      script = <<~'RUBY'
        require "spate/tracer"
        trace = Spate::Tracer.trace(read_only: true) do |tracer|
          system(tracer.environment, *tracer.command("/bin/sh", "-c", ARGV.first), **tracer.options)
        end
        puts trace.hooked.size, trace.written
      RUBY
      command = "echo x > /dev/null && echo works; echo x > a"
      output, = Open3.capture2e(TracerCase.program("forbid"), "addfd", RbConfig.ruby,
                                "-I#{File.expand_path("../../lib", __dir__)}", "-e", script, command, chdir: folder)
      assert_equal ["works\n", "1\n", "#{folder}/a\n"], output.lines.grep_v(/Read-only file system/)
      assert_equal "text", File.read("#{folder}/a")
    end

    def test_git_reads_a_repository
      skip "no git" unless system("git", "--version", out: File::NULL)
      words = %w[-c user.name=nobody -c user.email=nobody@localhost]
      system("git", "init", "--quiet", folder, exception: true)
      write("a", "text")
      system("git", "-C", folder, "add", ".", exception: true)
      system("git", "-C", folder, *words, "commit", "--quiet", "-m", "first", exception: true)
      File.utime(1, 1, "#{folder}/a")
      before = state
      traced("git", "status", "--short", read_only: true)
      assert_empty @output
      traced("git", *words, "commit", "--allow-empty", "-m", "second", read_only: true)
      assert_match(/Read-only file system/, @output)
      assert_equal before, state
    end

    def test_open_file_stays_writable
      File.open("#{folder}/report", "w") do |file|
        traced("/bin/sh", "-c", "echo said >&#{file.fileno}", options: { file => file }, read_only: true)
      end
      assert_equal "said\n", File.read("#{folder}/report")
    end

    # Another process could write on behalf of the traced one.
    def test_no_other_process_can_be_contacted
      UNIXServer.open("#{folder}/socket") do
        each_way do |way|
          trace = deeds(["connect", "#{folder}/socket", "datagram", "x"], read_only: true, **way)
          assert_equal "connect -1 #{Errno::EACCES::Errno}\ndatagram -1 #{Errno::EACCES::Errno}\n", @output, way
          assert_equal [:connected], kinds(trace, "socket")
        end
      end
    end

    def test_attributes_of_a_file_opened_for_reading
      write("a", "text")
      before = state
      each_way do |way|
        deeds(%w[setversion a], read_only: true, **way)
        assert_equal "setversion -1 #{Errno::EROFS::Errno}\n", @output, way
      end
      assert_equal before, state
    end

    # Another process could be made to write. Builds may run a debugger.
    def test_no_other_process_is_changed
      other = Process.spawn("sleep", "60")
      each_way do |way|
        trace = deeds(["trace", other.to_s, "poke", other.to_s], read_only: true, **way)
        assert_equal "trace -1 #{Errno::EPERM::Errno}\npoke -1 #{Errno::EPERM::Errno}\n", @output, way
        assert_equal %w[ptrace process_vm_writev], trace.trouble.grep(/bypasses paths/).map { |line| line.split.last }
      end
      deeds(["poke", other.to_s])
      assert_equal "poke 0 0\n", @output
    ensure
      Process.kill(:KILL, other)
      Process.wait(other)
    end

    def test_variables_are_recorded
      trace = deeds(%w[fork x getenv PATH], read_only: true)
      assert_includes trace.names, "PATH"
      assert_includes trace.hooked, dynamic_deeds
    end

    private

    # All paths below the folder, with inode, permissions, times and content.
    def state
      Dir.glob("#{folder}/**/*", File::FNM_DOTMATCH).sort.map do |path|
        info = File.lstat(path)
        [path, info.ino, info.mode, info.mtime, info.ctime, (File.binread(path) if info.file?)]
      end
    end
  end
end
