# frozen_string_literal: true

require_relative "tracer_case"

module Spate
  # Hooks and filter together must record everything that the kernel sees.
  class TracerWholeTest < TracerCase
    def test_a_compiler
      write("sub/known.h", "#define KNOWN 1\n")
      write("main.c", %(#include <stdio.h>\n#include "known.h"\nint main(void) { return KNOWN; }\n))
      FileUtils.mkdir_p("#{folder}/first")
      trace = compare("gcc", "-c", "main.c", "-Ifirst", "-Isub", "-o", "main.o")
      assert_equal [:read], kinds(trace, "sub/known.h") & [:read]
      assert_equal [:absent], kinds(trace, "first/known.h")
      assert_includes trace.to_h["/usr/include/stdio.h"], :read
      run = trace.paths.filter_map { |path, kinds| File.basename(path) if kinds.include?(:run) }
      assert_empty %w[gcc cc1 as] - run.map { |name| name[/\w+\z/] } # x86_64-linux-gnu-as
      assert_equal %i[absent written], kinds(trace, "main.o")
    end

    def test_an_extension
      write("ext/extconf.rb", <<~RUBY)
        require "mkmf"
        have_header("zlib.h")
        have_header("spate_none.h")
        have_library("m", "cos")
        create_makefile("some")
      RUBY
      write("ext/some.c", "#include <ruby.h>\nvoid Init_some(void) {}\n")
      trace = compare("sh", "-c", "cd ext && #{RbConfig.ruby} extconf.rb && make")
      assert_path_exists "#{folder}/ext/some.so"
      assert_includes trace.to_h["/usr/include/zlib.h"], :read
      assert_includes trace.to_h.keys.map { |path| File.basename(path) }, "spate_none.h"
      assert_includes trace.names, "PATH"
    end

    def test_shells_and_python
      write("a", "")
      compare("sh", "-c", "for f in *; do test -r $f && cat $f; done; command -v none; ls -la /usr/share")
      compare("bash", "-c", "shopt -s nullglob; echo /usr/lib/*/*.a; [ -e none ] || readlink -f a; env -i /bin/ls")
      python = File.exist?("/usr/bin/python3") ? "/usr/bin/python3" : nil
      compare(python, "-c", "import json, os; os.listdir('/etc'); os.path.realpath('a'); os.scandir('/')") if python
    end

    def test_ruby
      compare(RbConfig.ruby, "-e", <<~'SCRIPT')
        require "json"
        Dir.glob("/usr/lib/*/*.so")
        File.realpath("/bin/sh")
        Dir.children("/etc")
        File.exist?("/none")
        IO.readlines("/etc/hostname")
        `true`
      SCRIPT
    end

    private

    # Replaces temporary names, which differ in each run.
    def stable(path)
      path.gsub(%r{/cc\w{6}(?=\.|\z)}, "/ccX").gsub(/\d{8}-\d+-\w+/, "X").gsub(/sh-thd\.\w+|-t\d+/, "X")
          .gsub(%r{/proc/\d+}, "/proc/N").delete_prefix("/private")
    end

    def told(trace) = trace.paths.to_h { |path, kinds| [stable(path), kinds.to_set] }

    # Compares traces with and without hooks. Returns the calls recorded with hooks.
    def compare(*command)
      before = Dir.children(folder)
      first = traced(*command)
      assert first.value.success?, @output
      FileUtils.rm_rf((Dir.children(folder) - before).map { |name| "#{folder}/#{name}" })
      FileUtils.rm_f(Dir["#{folder}/ext/{*.o,*.so,Makefile,mkmf.log}"])
      alone = traced(*command, hooks: false)
      assert_empty first.trouble + alone.trouble
      assert_operator first.asked, :<, alone.asked, command.inspect
      differing(told(first), told(alone))
      first
    end

    def differing(hybrid, alone)
      missing = alone.reject { |path, kinds| hybrid[path]&.superset?(kinds) }
      assert_empty missing, "the kernel saw more"
      extra = hybrid.keys - alone.keys
      assert_empty extra, "the hooks made it up"
    end
  end
end
