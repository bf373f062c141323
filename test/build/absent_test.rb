# frozen_string_literal: true

require_relative "build_case"

module Spate
  class AbsentTest < BuildCase
    Tools = Struct.new(:header_folders, :library_folders)

    # As mkmf writes it, in whatever language the compiler speaks.
    LOG = <<~'TEXT'
      have_header: checking for late.h... -------------------- no

      "gcc -I. -I%<folder>s/mine -I%<folder>s/bundle/gems/x -c conftest.c"
      conftest.c:3:10: schwerer Fehler: late.h: Datei oder Verzeichnis nicht gefunden
      checked program was:
      /* begin */
      1: #include "ruby.h"
      2:
      3: #include <late.h>
      /* end */

      have_library: checking for late() in -llate... -------------------- no

      "gcc -o conftest conftest.c  -L. -L%<folder>s/mine -lthere -llate  -lm   -lc"
    TEXT

    def setup
      super
      %w[include/ruby.h lib/libthere.so lib/libm.a lib/libc.so mine/.keep].each { |path| write(path, "") }
    end

    def absent
      tools = Tools.new(["#{folder}/include"], ["#{folder}/lib"])
      log = write("mkmf.log", format(LOG, folder: folder))
      Build::Absent.new(tools, "#{folder}/bundle").of([log])
    end

    def test_a_name_that_no_file_can_have
      log = write("mkmf.log", "1: #include <a\0b.h>\n\"gcc -I/a\0b -la\0b\n")
      assert_equal [], Build::Absent.new(Tools.new([folder], [folder]), "#{folder}/bundle").of([log])
                                    .reject { |name, *| name.match?(/\Aliba\.\w+\z/) }
    end

    def test_what_is_nowhere_is_kept_with_where_it_was_not
      headers, libraries = [["#{folder}/mine", "#{folder}/include"], ["#{folder}/mine", "#{folder}/lib"]]
      assert_equal [["late.h", *headers], ["liblate.so", *libraries], ["liblate.a", *libraries],
                    ["liblate.dylib", *libraries]], absent
      assert_empty Build::Absent.new(Tools.new([], []), folder).of([])
    end

    def test_it_is_found_wherever_it_comes
      kept = absent
      assert_empty Build::Absent.found(kept)
      write("mine/liblate.a", "")
      write("include/late.h", "")
      assert_equal ["#{folder}/include/late.h", "#{folder}/mine/liblate.a"], Build::Absent.found(kept)
    end

    def test_the_compilers_own_folders
      environment = Build::Environment.new(ENV.to_h)
      toolchain = Build::Toolchain.new(store, environment)
      assert(toolchain.header_folders.any? { |path| File.file?("#{path}/stdio.h") })
      assert(toolchain.library_folders.any? { |path| Dir.glob("#{path}/libm.{so,a}").any? })
      missing = Build::Toolchain.new(store, Build::Environment.new({ "CC" => "never-seen-cc", "PATH" => "/usr/bin" }))
      assert_equal [[], []], [missing.header_folders, missing.library_folders]
    end
  end
end
