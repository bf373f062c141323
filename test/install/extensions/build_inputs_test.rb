# frozen_string_literal: true

require "install/build_learning_case"

# Inputs of a build that are on the machine and do not appear in the gem's archive.
class BuildInputsTest < BuildLearningCase
  # The variable is read by a file of the gem, by another gem, or by make.
  def test_variable_read_indirectly
    read = "def flavour = ENV.fetch('MY_FLAVOUR', '1')\n"
    @source.add("tool", "1.0", files: { "lib/tool.rb" => read })
    { "computed" => "require File.expand_path('../../lib/own/flavour', __dir__)",
      "literal" => "require_relative '../../lib/own/flavour'", "needing" => "require 'tool'" }.each do |name, line|
      plain("#{line}\nvalue = flavour", name: name, files: { "lib/own/flavour.rb" => read },
                                        dependencies: { "tool" => ">= 1" })
    end
    rules = "MY_FLAVOUR ?= 1\nmade.o: CFLAGS += -DFLAVOUR=$(MY_FLAVOUR)\n"
    native("made", value: "FLAVOUR + 0", files: { "ext/made/depend" => rules })
    assert_follow(%w[computed literal made needing], MY_FLAVOUR: "2")
  end

  def test_working_folder_of_the_shell
    plain("abort if ENV.fetch('PWD').empty?")
    first, second = Array.new(2) { another("alpha") }
    assert_equal [%w[alpha], []], install(first, PWD: first.folder)
    assert_equal [[], %w[alpha]], install(second, PWD: second.folder)
  end

  # The wrapper runs the real compiler with an additional option.
  def test_compiler_wrapper
    default = "#ifndef FLAVOUR\n#define FLAVOUR 1\n#endif"
    native("alpha", files: { "ext/alpha/alpha.c" => source("alpha", "FLAVOUR", default) })
    real = RbConfig::CONFIG["CC"].split.first
    path = IO.popen(["which", real], &:read).chomp
    wrapper(real, "exec #{path} -DFLAVOUR=2 \"$@\"")
    behind = { PATH: "#{folder}/wrapped:#{ENV.fetch("PATH")}" }
    assert_follow(%w[alpha], **behind)
    wrapper(real, "exec #{path} -DFLAVOUR=3 \"$@\"")
    assert_equal [%w[alpha], []], install(third = another("alpha"), **behind)
    assert_equal "3", value(third, "alpha")
  end

  def test_header_that_was_missing
    include = FileUtils.mkdir_p("#{folder}/include").first
    lines = "#ifdef HAVE_FLAVOUR_H\n#include <flavour.h>\n#else\n#define FLAVOUR 1\n#endif"
    native("alpha", extconf: "$CPPFLAGS << ' -I#{include}'\nhave_header('flavour.h')",
                    files: { "ext/alpha/alpha.c" => source("alpha", "FLAVOUR", lines) })
    assert_equal [%w[alpha], []], install(first = another("alpha"))
    assert_equal [[], %w[alpha]], install(another("alpha"))
    write("include/flavour.h", "#define FLAVOUR 2\n")
    assert_equal [%w[alpha], []], install(second = another("alpha"))
    assert_equal({ "alpha" => "#{include}/flavour.h is new" }, reasons)
    assert_equal %w[1 2], [value(first, "alpha"), value(second, "alpha")]
    assert_equal [[], %w[alpha]], install(another("alpha"))
    assert_empty warnings
    refute_match(/edited|differs/, first.spate!("check"), "the first bundle has what it had")
  end

  def test_library_that_was_missing
    lib = FileUtils.mkdir_p("#{folder}/lib").first
    native("alpha", extconf: "$LDFLAGS << ' -L#{lib}'\n" \
                             "$defs << (have_library('flavour', 'flavour') ? '-DFLAVOUR=2' : '-DFLAVOUR=1')",
                    value: "FLAVOUR")
    assert_equal [%w[alpha], []], install(another("alpha"))
    assert_equal [[], %w[alpha]], install(another("alpha"))
    write("flavour.c", "int flavour(void) { return 2; }\n")
    system("cc", "-c", "-fPIC", "-o", "#{folder}/flavour.o", "#{folder}/flavour.c", exception: true)
    system("ar", "rcs", "#{lib}/libflavour.a", "#{folder}/flavour.o", exception: true)
    assert_equal [%w[alpha], []], install(second = another("alpha"))
    assert_equal "2", value(second, "alpha")
  end

  # Folders and users are not inputs, unless the result contains their names.
  def test_values_contained_in_the_result
    told = { USER: %w[bob alice], TMPDIR: [folder, FileUtils.mkdir_p("#{folder}/tmp").first], XDG_DATA_HOME: %w[/x /y] }
    names = told.keys.map { |name| "in_#{name.downcase}" }.sort
    told.each_key { |name| holding(name) }
    2.times do |index|
      env = told.transform_values { |values| values[index] }
      assert_equal [names, []], install(project = another(*names), **env)
      env.each { |name, value| assert_equal "PLACE = #{value.dump}\n", place(project, name) }
      assert_equal [[], names], install(another(*names), **env), reasons
    end
  end

  # A build that found its file by way of a variable depends on that location, not on the default location.
  def test_file_found_in_a_place
    %w[home/.config one two].each.with_index(1) { |at, number| write("#{at}/flavour", number.to_s) }
    plain("place = ENV['XDG_CONFIG_HOME'] || File.join(Dir.home, '.config')\n" \
          "value = File.read(File.join(place, 'flavour'))")
    [nil, "#{folder}/one", "#{folder}/two"].each.with_index(1) do |place, number|
      assert_equal [%w[alpha], []], install(project = another("alpha"), XDG_CONFIG_HOME: place)
      assert_equal number.to_s, learned(project)
      assert_equal [[], %w[alpha]], install(another("alpha"), XDG_CONFIG_HOME: place), reasons
    end
  end

  # As above, for variables with a list, with the path of a file, or with a trailing slash. The build reads only the
  # file's size.
  def test_file_found_by_a_list_or_a_file_variable
    %w[home/.config one two].each.with_index(1) { |at, number| write("#{at}/flavour", "x" * number) }
    usual = "File.join(Dir.home, '.config')"
    texts = { "dirs" => "File.join((ENV['XDG_CONFIG_DIRS'] || #{usual}).split(':').first, 'flavour')",
              "file" => "(ENV['XDG_CONFIG_FILE'] || File.join(#{usual}, 'flavour'))",
              "home" => "File.join(ENV['XDG_CONFIG_HOME'] || #{usual}, 'flavour')" }
    texts.each { |name, text| plain("value = File.size(#{text})", name: name) }
    [nil, "#{folder}/one", "#{folder}/two"].each.with_index(1) do |place, number|
      env = { XDG_CONFIG_DIRS: "%s:/no", XDG_CONFIG_FILE: "%s/flavour", XDG_CONFIG_HOME: "%s/" }
            .transform_values { |form| place && format(form, place) }
      assert_equal [texts.keys, []], install(project = another(*texts.keys), **env), place
      assert_equal({ number.to_s => texts.keys }, texts.keys.group_by { |name| learned(project, name) })
      assert_equal [[], texts.keys], install(another(*texts.keys), **env), reasons
    end
  end

  # A compiler stores the paths of its sources in the library. These are not locations to search.
  def test_the_home_in_a_library
    extconf = "File.write('place.h', \"#include \\\"\#{Dir.home}/own.h\\\"\n\#{'#define PLACE 1' if ENV['PLACE']}\n" \
              "#define HOME_FOLDER \\\"\#{Dir.home}/data\\\"\n\")"
    lines = "#include \"place.h\"\n#ifdef PLACE\nconst char *place(void) { return HOME_FOLDER; }\n#endif"
    native("alpha", extconf: extconf, files: { "ext/alpha/alpha.c" => source("alpha", "1", lines) })
    homes = %w[one two].map { |name| "#{folder}/#{name}" }
    homes.each { |home| write("#{home}/own.h", "const char *own(void) { return __FILE__; }\n") }
    [[{}, [[], %w[alpha]]], [{ PLACE: "1" }, [%w[alpha], []]]].each do |env, other|
      assert_equal [%w[alpha], []], install(another("alpha"), HOME: homes[0], **env)
      assert_equal other, install(another("alpha"), HOME: homes[1], **env), reasons
    end
    assert_equal({ "alpha" => "HOME has another value" }, reasons)
  end

  private

  # Asserts that the gems are built once for each value of the variable, and are then reused.
  def assert_follow(names, **env)
    assert_equal [names, []], install(first = another(*names))
    assert_equal [names, []], install(second = another(*names), **env)
    assert_equal({ %w[1 2] => names }, names.group_by { |name| [result(first, name), result(second, name)] })
    assert_equal [[], names], install(another(*names))
    assert_equal [[], names], install(another(*names), **env)
  end

  # A gem whose result contains the value of a variable.
  def holding(variable)
    files = { "lib/x.rb" => "", "ext/extconf.rb" => <<~RUBY }
      File.write("../lib/place.rb", "PLACE = \#{ENV["#{variable}"].dump}\\n")
      File.write("Makefile", "all:\\ninstall:\\nclean:\\n")
    RUBY
    @source.add("in_#{variable.downcase}", "1.0", native: true, files: files)
  end

  def place(project, variable) = File.read("#{project.bundle_root}/gems/in_#{variable.downcase}-1.0/lib/place.rb")

  def wrapper(name, line)
    FileUtils.rm_f("#{folder}/wrapped/#{name}")
    write("wrapped/#{name}", "#!/bin/sh\n#{line}\n", mode: 0o755)
  end
end
