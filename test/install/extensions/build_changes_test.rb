# frozen_string_literal: true

require "install/build_learning_case"

# One gem for each way in which a build can read the state of the machine. After a change, only the builds that depend
# on the change may run again.
class BuildChangesTest < BuildLearningCase
  # { name => code in extconf.rb or a make rule that reads the value }. %<at>s is the folder of that gem's case.
  CONFIGURATIONS = {
    "read" => "File.read('%<at>s/file')",
    "listed" => "Dir.children('%<at>s/folder').size",
    "linked" => "File.readlink('%<at>s/link')",
    "there" => "File.exist?('%<at>s/file') ? 2 : 1",
    "sized" => "File.size('%<at>s/file')",
    "mode" => "File.executable?('%<at>s/file') ? 2 : 1",
    "answered" => "`flavour-config`.to_i",
    "earlier" => "`flavour-earlier`.to_i",
    "shell" => "`sh %<at>s/script`.to_i",
    "perl" => "`perl -e 'open F, q(%<at>s/file); print <F>'`.to_i",
    "static" => "`%<at>s/static %<at>s/file`.to_i",
    "home" => "File.read(File.join(Dir.home, '.flavour')).to_i",
    "site" => "`sh -c '. $CONFIG_SITE; echo $site_flavour'`.to_i",
    "computed" => "`sh -c 'x=COMPUTED; eval echo \\\\${YOUR_$x:-1}'`.to_i",
    "searched" => "(ENV.find { |name, _| name.start_with?('MY_SEARCH_') } || ['', 1]).last",
    "asked" => "ENV.fetch(%%w[MY ASKED].join('_'), 1)",
    "perlenv" => "`perl -e 'print $ENV{q(MY_PERL)} || 1'`.to_i"
  }.freeze
  RULES = {
    "making" => "ifdef MY_MAKING\nmaking.o: CFLAGS += -DFLAVOUR=2\nendif\n",
    "ran" => "ran.o: CFLAGS += -DFLAVOUR=$(shell sh %<at>s/script)\n",
    "included" => "-include %<at>s/more.mk\n"
  }.freeze
  # { name => folders with headers }
  HEADERS = { "header" => %w[specifications], "order" => %w[first second], "isystem" => %w[first second] }.freeze

  # The number of changes between two installs.
  AT_ONCE = 6

  def setup
    super
    @env = { CONFIG_SITE: "#{at("site")}/config.site", PKG_CONFIG_PATH: at("pkgconf"),
             PATH: "#{at("earlier")}/first:#{at("earlier")}/second:#{at("answered")}:#{ENV.fetch("PATH")}" }
    plant
    CONFIGURATIONS.each { |name, text| plain("value = #{format(text, at: at(name))}", name: name) }
    asked = "pkg_config('flavour') && `pkg-config --modversion flavour`.to_i"
    native("pkgconf", extconf: "$defs << \"-DFLAVOUR=\#{#{asked}}\"", value: "FLAVOUR")
    RULES.each { |name, text| made(name, "ext/#{name}/depend" => format(text, at: at(name))) }
    HEADERS.each { |name, folders| including(name, folders) }
  end

  def test_each_change_rebuilds_the_builds_that_read_it
    names = [*CONFIGURATIONS.keys, "pkgconf", *RULES.keys, *HEADERS.keys].sort
    assert_equal [names, []], install(another(*names), **@env)
    assert_empty warnings
    assert_equal [[], names], install(last = another(*names), **@env)
    assert_equal({ "1" => names }, names.group_by { |name| result(last, name) })
    assert_equal names, changes.keys.sort
    changes.each_slice(AT_ONCE) { |some| assert_follow(some.to_h, names) }
  end

  private

  def at(name) = "#{folder}/cases/#{name}"

  def made(name, files)
    lines = "#ifndef FLAVOUR\n#define FLAVOUR 1\n#endif"
    native(name, files: files.merge("ext/#{name}/#{name}.c" => source(name, "FLAVOUR", lines)))
  end

  def including(name, folders)
    option = name == "isystem" ? "-isystem " : "-I"
    native(name, extconf: folders.map { |folder| "$CPPFLAGS << ' #{option}#{at(name)}/#{folder}'\n" }.join,
                 files: { "ext/#{name}/#{name}.c" => source(name, "FLAVOUR", "#include <flavour.h>") })
  end

  def put(name, path, text, mode: 0o644) = write("cases/#{name}/#{path}", text, mode: mode)

  # Creates the state before the first build.
  def plant
    %w[read perl static].each { |name| put(name, "file", "1") }
    put("sized", "file", "1")
    put("mode", "file", "")
    put("there", ".keep", "")
    put("listed", "folder/one", "")
    File.symlink("1", "#{File.dirname(put("linked", ".keep", ""))}/link")
    put("answered", "flavour-config", "#!/bin/sh\necho 1\n", mode: 0o755)
    put("earlier", "first/.keep", "") # GCC 16 looks for its assembler below each folder of PATH
    put("earlier", "second/flavour-earlier", "#!/bin/sh\necho 1\n", mode: 0o755)
    %w[shell ran].each { |name| put(name, "script", "echo 1\n") }
    put("included", ".keep", "")
    put("site", "config.site", "site_flavour=1\n")
    put("pkgconf", "flavour.pc", "Name: flavour\nDescription: -\nVersion: 1\n")
    write("home/.flavour", "1")
    put("header", "specifications/flavour.h", "#define FLAVOUR 1\n")
    %w[order isystem].each do |name|
      put(name, "second/flavour.h", "#define FLAVOUR 1\n")
      put(name, "first/.keep", "")
    end
    static_program
  end

  def static_program
    source = write("static.c", "#include <stdio.h>\nint main(int c, char **v) { FILE *f = fopen(v[1], \"r\"); " \
                               "putchar(getc(f)); return 0; }\n")
    system("cc", "-static", "-o", "#{at("static")}/static", source, exception: true)
  end

  # { name => the change }
  def changes
    texts = { "read" => "file", "perl" => "file", "static" => "file" }.transform_values { |path| [path, "2"] }
    texts.update("shell" => ["script", "echo 2\n"], "ran" => ["script", "echo 2\n"], "there" => ["file", ""],
                 "listed" => ["folder/two", ""], "sized" => %w[file 12], "site" => ["config.site", "site_flavour=2\n"],
                 "pkgconf" => ["flavour.pc", "Name: flavour\nDescription: -\nVersion: 2\n"],
                 "included" => ["more.mk", "included.o: CFLAGS += -DFLAVOUR=2\n"],
                 "header" => ["specifications/flavour.h", "#define FLAVOUR 2\n"],
                 "order" => ["first/flavour.h", "#define FLAVOUR 2\n"],
                 "isystem" => ["first/flavour.h", "#define FLAVOUR 2\n"])
    variables = { "computed" => :YOUR_COMPUTED, "searched" => :MY_SEARCH_ED, "asked" => :MY_ASKED,
                  "perlenv" => :MY_PERL, "making" => :MY_MAKING }
    texts.to_h { |name, (path, text)| [name, -> { put(name, path, text) }] }
         .merge(variables.transform_values { |name| -> { @env[name] = "2" } }).merge(others)
  end

  def others
    { "linked" => -> { File.unlink("#{at("linked")}/link") && File.symlink("2", "#{at("linked")}/link") },
      "mode" => -> { File.chmod(0o755, "#{at("mode")}/file") },
      "answered" => -> { put("answered", "flavour-config", "#!/bin/sh\necho 2\n", mode: 0o755) },
      "earlier" => -> { put("earlier", "first/flavour-earlier", "#!/bin/sh\necho 2\n", mode: 0o755) },
      "home" => -> { write("home/.flavour", "2") } }
  end

  def assert_follow(some, names)
    some.each_value(&:call)
    changed = some.keys.sort
    assert_equal [changed, names - changed], install(project = another(*names), **@env), reasons.to_s
    assert_equal({ "2" => changed }, changed.group_by { |name| result(project, name) })
    assert_equal changed, reasons.compact.keys.sort
    FileUtils.rm_rf(project.folder)
  end
end
