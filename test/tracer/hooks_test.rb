# frozen_string_literal: true

require_relative "tracer_case"

module Spate
  # The preloaded library must behave like libc, and load nothing else.
  class TracerHooksTest < TracerCase
    def test_every_function_returns_the_same_as_without_hooks
      bare = run_same("bare") { |command| Open3.capture2e(*command) }
      trace = nil
      hooked = run_same("hooked") do |command|
        trace = traced(*command)
        [@output, trace.value]
      end
      assert_operator bare.size, :>, 1000
      bare.zip(hooked) { |line, other| assert_equal line, other }
      assert_equal bare.size, hooked.size
      assert_empty trace.trouble.grep_v(/without a path/)
      assert_operator trace.asked, :<, bare.size / 2, "the hooks were there"
    end

    def test_hooks_need_no_additional_library
      skip "no readelf" unless system("readelf", "--version", out: File::NULL)
      listed = IO.popen(["readelf", "--dynamic", "--wide", Tracer.hooks], &:read)
      refute_match(/NEEDED/, listed)
      undefined = IO.popen(["nm", "-D", "--undefined-only", Tracer.hooks], &:read).scan(/ U (\S+)/).flatten
      assert_empty undefined.grep(/@|chk|^rb_/)
    end

    def test_signals_interrupt_no_nonblocking_call_without_a_tracer
      storm = TracerCase.program("storm")
      Dir.mktmpdir do |folder|
        trace = traced(storm, folder)
        assert_equal ["", 0], [@output, trace.value.exitstatus]
      end
    end

    def test_a_library_of_the_users_stays_preloaded
      Tracer.trace do |tracer|
        assert_equal "#{Tracer.hooks}:/lib/other.so",
                     tracer.environment({ "LD_PRELOAD" => "/lib/other.so" })["LD_PRELOAD"]
        assert_equal "#{Tracer.hooks}:/lib/own.so",
                     tracer.environment({}, { "LD_PRELOAD" => "/lib/own.so" })["LD_PRELOAD"]
        assert_equal Tracer.hooks, tracer.environment({}, {})["LD_PRELOAD"]
      end
    end

    def test_programs_with_sanitizers
      write("a", "")
      %w[address thread undefined].each do |kind|
        program = TracerCase.program("deeds", "-no-pie", "-fsanitize=#{kind}")
        next unless system(program, out: File::NULL) # no library, or no space for its shadow memory

        trace = traced(program, "open", "a", "stat", "b")
        assert trace.value.success?, @output
        assert_equal [[:read], [:absent]], [kinds(trace, "a"), kinds(trace, "b")]
      end
    end

    def test_invalid_table
      [nil, "", "/nowhere", "/dev/null", __FILE__].each do |table|
        output, status = Open3.capture2e({ "LD_PRELOAD" => Tracer.hooks, "SPATE_TRACER" => table }, "cat", __FILE__)
        assert status.success?
        assert_equal File.read(__FILE__), output
      end
    end

    private

    def run_same(name)
      root = "#{folder}/same"
      make_tree(root)
      output, status = yield [TracerCase.program("same"), root]
      assert status.success?, "#{name}: #{output}"
      FileUtils.rm_rf("#{folder}/#{name}")
      numbers = inodes(root)
      output.lines.map { |line| line.gsub(/\b\d{3,}\b/) { |number| numbers.fetch(number.to_i, "other") } }
    ensure
      FileUtils.rm_rf(root)
    end

    def make_tree(root)
      FileUtils.mkdir_p(["#{root}/folder", "#{root}/deep"])
      %w[file shut folder/inner folder/file].each { |name| File.write("#{root}/#{name}", "text of #{name}\n") }
      { "link" => "folder", "tofile" => "./file", "dangling" => "none/such", "loop" => "loop",
        "deep/link" => "../link/../folder/inner" }.each { |name, target| File.symlink(target, "#{root}/#{name}") }
      File.chmod(0, "#{root}/shut")
    end

    # { inode number => relative path }, because two trees have different inode numbers.
    def inodes(root)
      Dir.glob("#{root}/**/*", File::FNM_DOTMATCH).to_h { |path| [File.lstat(path).ino, path.delete_prefix(root)] }
    end
  end
end
