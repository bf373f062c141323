# frozen_string_literal: true

require_relative "tracer_case"

module Spate
  # A write to a package's file must not change other hard links of the file.
  class TracerPartingTest < TracerCase
    SHELL = { "a redirection" => "echo new > FILE", "more of it" => "echo new >> FILE", "chmod" => "chmod 755 FILE",
              "touch" => "touch FILE", "cp" => "cp /proc/self/comm FILE", "dd" => "echo new | dd of=FILE conv=notrunc",
              "through a link" => "ln -s FILE link && echo new > link", "from its folder" => "cd FOLDER; echo > FILE",
              "truncate" => "truncate -s 1 FILE" }.freeze
    NODE = { "writeFile" => "fs.writeFileSync(file, 'new')", "appendFile" => "fs.appendFileSync(file, 'new')",
             "copyFile" => "fs.copyFileSync('/proc/self/comm', file)", "chmod" => "fs.chmodSync(file, 0o755)",
             "r+" => "fs.writeSync(fs.openSync(file, 'r+'), 'N')", "utimes" => "fs.utimesSync(file, 1, 1)",
             "truncate" => "fs.truncateSync(file, 1)" }.freeze
    COMMANDS = SHELL.transform_values { |text| ["sh", "-c", text] }
                    .merge(NODE.to_h { |name, text| ["node #{name}", ["node", "-e", "file = 'FILE'; #{text}"]] },
                           "python" => ["python3", "-c", "open('FILE', 'r+').write('N')"],
                           "perl" => ["perl", "-e", "open(F, '>>', 'FILE'); print F 'x'"],
                           "ruby" => ["ruby", "-e", "File.write('FILE', 'N', 0)"]).freeze

    def setup
      super
      @root = File.realpath(folder)
      @file = "#{@root}/node_modules/a/file"
      write("node_modules/a/other", "")
    end

    def share(path = @file)
      FileUtils.rm_rf([path, "#{@root}/object", "#{@root}/link"])
      File.utime(1, 1, write("object", "old\n"))
      File.link("#{@root}/object", path)
    end

    # Yields the command. Returns whether the other link still has its content, mode and mtime, and no longer shares its
    # inode with FILE.
    def kept?(*command, file: @file)
      share(file)
      command = command.map { |word| word.gsub("FILE", file).gsub("FOLDER", File.dirname(file)) }
      yield command
      stat = File.stat("#{@root}/object")
      [File.read("#{@root}/object"), stat.mode & 0o777, stat.mtime.to_i, stat.nlink] == ["old\n", 0o644, 1, 1]
    end

    def run_parted(command, variables = {})
      environment = Tracer.copy_on_write_environment(ENV.to_h.merge(variables), @root)
      output, status = Open3.capture2e(environment, *command, chdir: @root)
      assert_predicate status, :success?, output
    end

    COMMANDS.each do |name, command|
      define_method("test_by_#{name.tr(" +", "__")}") do
        skip "no #{command.first}" unless system(*command.first, "--version", out: File::NULL, err: File::NULL) ||
                                          command.first == "sh"

        assert kept?(*command) { |words| run_parted(words) }
        assert kept?(*command) { |words| traced(*words, chdir: @root, env: { Tracer::PART => @root }) }
        assert_equal %w[file other], Dir.children(File.dirname(@file)).sort
        refute kept?(*command) { |words| system(*words, chdir: @root, err: File::NULL) }, "it is shared without"
      end
    end

    def test_files_outside_of_the_packages_stay_shared
      refute kept?("sh", "-c", "echo new > FILE", file: "#{@root}/mine") { |words| run_parted(words) }
      environment = Tracer.copy_on_write_environment(ENV.to_h, "#{@root}/node_modules/another")
      refute kept?("sh", "-c", "echo new > FILE") { |words| system(environment, *words) }
    end

    # Reading a file, or failing to open it, makes no copy.
    def test_files_that_are_not_written_stay_shared
      share
      run_parted(["sh", "-c", "cat #{@file}; test -w #{@file}; (set -C; echo > #{@file}) 2>&- || true"])

      assert_equal 2, File.stat(@file).nlink
    end

    # Each process appends a line to a file; the first write copies it.
    def test_concurrent_writes_are_all_kept
      rounds = 60
      text = "i=0; while [ $i -lt #{rounds} ]; do i=$((i+1)); echo a >> FILE$i & echo b >> FILE$i & " \
             "echo c >> FILE$i & wait; done"
      share
      rounds.times { |i| File.link(@file, "#{@file}#{i + 1}") }
      run_parted(["bash", "-c", text.gsub("FILE", @file)])

      assert_equal [%w[a b c old]], Array.new(rounds) { |i| File.readlines("#{@file}#{i + 1}", chomp: true).sort }.uniq
      assert_equal rounds + 2, Dir.children(File.dirname(@file)).length
    end

    def test_on_a_small_stack
      handler = TracerCase.program("handler")
      [@file, write("node_modules/a/single", "old\n")].each do |file|
        share
        run_parted([handler, file])

        assert_equal "old\nnew\n", File.read(file)
      end
    end

    # Without space for a copy the program gets an error, and nothing is written.
    def test_write_fails_without_space_for_a_copy
      skip "mounting is not permitted here" unless system("unshare", "-rm", "true", out: File::NULL, err: File::NULL)

      small = Dir.mkdir("#{@root}/small") && "#{@root}/small"
      text = "mount -t tmpfs -o size=1m tmpfs #{small} && cd #{small} && mkdir -p node_modules/a && " \
             "head -c 600000 /dev/zero > object && ln object node_modules/a/file && LD_PRELOAD=$HOOKS sh -c '" \
             "(echo new >> $0) || chmod 755 $0 || truncate -s 1 $0' node_modules/a/file; " \
             "stat -c '%s %a %h' object; ls node_modules/a"
      environment = Tracer.copy_on_write_environment(ENV.to_h, small)
      hooks = environment.delete("LD_PRELOAD")
      environment.update("HOOKS" => hooks, "LC_ALL" => "C")
      output, = Open3.capture2e(environment, "unshare", "-rm", "sh", "-c", text)

      assert_equal ["600000 644 2", "file"], output.lines(chomp: true).last(2)
      assert_equal 3, output.scan("No space left on device").length, output
    end

    # After the rename, the path no longer shows that the file belongs to a package.
    def test_file_is_copied_before_it_is_renamed_out_of_the_package
      write = "for i in ../mine mine mine/file; do test ! -f $i || echo new >> $i; done"
      ["mv -n FILE ../mine", "ln FILE mine", "cp -al FOLDER mine"].each do |text|
        FileUtils.rm_rf(["#{@root}/mine", "#{@root}/elsewhere"])
        Dir.mkdir("#{@root}/elsewhere")
        shared = kept?("sh", "-c", "cd #{@root}/elsewhere && #{text} && #{write}") { |words| run_parted(words) }

        assert shared, text
      end
    end

    # A package that links a file of another one into its own folder, like esbuild. A later write copies the file.
    def test_file_linked_within_packages_stays_shared
      share
      text = "ln ../a/file run-tmp && mv run-tmp run"
      Dir.mkdir(other = "#{@root}/node_modules/esbuild")
      assert(system(Tracer.copy_on_write_environment(ENV.to_h, @root), "sh", "-c", text, chdir: other))

      assert_equal 3, File.stat("#{other}/run").nlink
      run_parted(["sh", "-c", "echo new >> #{other}/run"])

      assert_equal ["old\n", 2], [File.read(@file), File.stat(@file).nlink]
    end

    # Some versions of node use io_uring by default.
    def test_node_with_io_uring
      skip "no node" unless system("node", "--version", out: File::NULL, err: File::NULL)

      write = ["node", "-e", "fs.promises.appendFile('FILE', 'x')"]
      assert kept?(*write) { |words| run_parted(words, "UV_USE_IO_URING" => "1") }
    end

    # The temporary name is within the system's limit, and a file that a killed process left does not block it.
    def test_longest_name_and_leftovers_of_a_killed_process
      assert kept?("sh", "-c", "echo new > FILE", file: "#{@root}/node_modules/a/#{"n" * 255}") { |words|
        run_parted(["sh", "-c", "> #{@root}/node_modules/a/.spate-part-$$; exec \"$@\"", "sh", *words])
      }
    end

    def test_a_library_of_the_users_stays_preloaded
      environment = Tracer.copy_on_write_environment({ "LD_PRELOAD" => "/lib/own.so" }, "/app")

      assert_equal ["#{Tracer.hooks}:/lib/own.so", "/app"], environment.values_at("LD_PRELOAD", Tracer::PART)
    end
  end
end
