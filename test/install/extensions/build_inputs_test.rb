# frozen_string_literal: true

require "install/build_case"

# What a build reads of the machine, in ways that no list of its archive shows.
class BuildInputsTest < InstallBuildCase
  def test_a_variable_that_a_file_of_the_configuration_reads
    %w[literal computed].zip(["require_relative '../../lib/tool/flavour'",
                              "require File.expand_path('../../lib/tool/flavour', __dir__)"]) do |name, line|
      native(name, extconf: "#{line}\n$defs << \"-DFLAVOUR=\#{flavour}\"", value: "FLAVOUR",
                   files: { "lib/tool/flavour.rb" => "def flavour = ENV.fetch('MY_FLAVOUR', '1')\n" })
      assert_follows(name, MY_FLAVOUR: "2")
    end
  end

  def test_a_variable_that_a_gem_of_the_configuration_reads
    @source.add("tool", "1.0", files: { "lib/tool.rb" => "def flavour = ENV.fetch('MY_FLAVOUR', '1')\n" })
    native("alpha", extconf: "require 'tool'\n$defs << \"-DFLAVOUR=\#{flavour}\"", value: "FLAVOUR",
                    dependencies: { "tool" => ">= 1" })
    assert_follows("alpha", MY_FLAVOUR: "2")
  end

  def test_a_variable_that_make_expands
    rules = "MY_FLAVOUR ?= 1\nalpha.o: CFLAGS += -DFLAVOUR=$(MY_FLAVOUR)\n"
    native("alpha", value: "FLAVOUR + 0", files: { "ext/alpha/depend" => rules })
    assert_follows("alpha", MY_FLAVOUR: "2")
  end

  def test_the_folder_that_the_shell_is_in
    native("alpha", extconf: "abort if ENV.fetch('PWD').empty?")
    first, second = Array.new(2) { another("alpha") }
    assert_equal [%w[alpha], []], install(first, PWD: first.folder)
    assert_equal [[], %w[alpha]], install(second, PWD: second.folder)
  end

  # Says what the compiler behind it says, and adds to what it is told.
  def test_a_compiler_that_passes_for_another
    default = "#ifndef FLAVOUR\n#define FLAVOUR 1\n#endif"
    native("alpha", files: { "ext/alpha/alpha.c" => source("alpha", "FLAVOUR", default) })
    real = RbConfig::CONFIG["CC"].split.first
    path = IO.popen(["which", real], &:read).chomp
    wrapper(real, "exec #{path} -DFLAVOUR=2 \"$@\"")
    behind = { PATH: "#{folder}/wrapped:#{ENV.fetch("PATH")}" }
    assert_follows("alpha", **behind)
    wrapper(real, "exec #{path} -DFLAVOUR=3 \"$@\"")
    assert_equal [%w[alpha], []], install(third = another("alpha"), **behind)
    assert_equal "3", value(third, "alpha")
  end

  def test_a_header_that_was_not_there
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

  def test_a_library_that_was_not_there
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

  # Places and users do not count, but what has their names in it is for them.
  def test_values_that_the_result_has
    @source.add("alpha", "1.0", native: true, files: { "lib/alpha.rb" => "", "ext/alpha/extconf.rb" => <<~'RUBY' })
      File.write("../../lib/place.rb", "PLACE = #{ENV.values_at("XDG_DATA_HOME", "TMPDIR", "USER").compact.first.dump}\n")
      File.write("Makefile", "all:\ninstall:\nclean:\n")
    RUBY
    { XDG_DATA_HOME: %w[/x /y], TMPDIR: [folder, FileUtils.mkdir_p("#{folder}/tmp").first], USER: %w[bob alice] }
      .each do |name, values|
        values.each do |value|
          told = { XDG_DATA_HOME: nil, TMPDIR: nil, USER: "root", name => value }
          assert_equal [%w[alpha], []], install(project = another("alpha"), **told), name
          assert_equal "PLACE = #{value.dump}\n", File.read("#{project.bundle_root}/gems/alpha-1.0/lib/place.rb")
          assert_equal [[], %w[alpha]], install(another("alpha"), **told), name
        end
      end
  end

  # What is found at a place is another's where the place is another, or is no longer the usual one.
  def test_what_is_found_at_a_place
    %w[home/.config one two].each.with_index(1) { |at, number| write("#{at}/flavour", number.to_s) }
    native("alpha", extconf: "place = ENV['XDG_CONFIG_HOME'] || File.join(Dir.home, '.config')\n" \
                             "$defs << \"-DFLAVOUR=\#{File.read(File.join(place, 'flavour'))}\"", value: "FLAVOUR")
    [nil, "#{folder}/one", "#{folder}/two"].each.with_index(1) do |place, number|
      assert_equal [%w[alpha], []], install(project = another("alpha"), XDG_CONFIG_HOME: place)
      assert_equal number.to_s, value(project, "alpha")
      assert_equal [[], %w[alpha]], install(another("alpha"), XDG_CONFIG_HOME: place), reasons
    end
  end

  # However its value says it, and whatever is asked of what is there.
  def test_what_is_found_by_a_list_or_a_file
    %w[home/.config one two].each.with_index(1) { |at, number| write("#{at}/flavour", "x" * number) }
    usual = "File.join(Dir.home, '.config')"
    { HOME: ["%s/", "File.join(ENV['XDG_CONFIG_HOME'] || #{usual}, 'flavour')"],
      DIRS: ["%s:/nowhere", "File.join((ENV['XDG_CONFIG_DIRS'] || #{usual}).split(':').first, 'flavour')"],
      FILE: ["%s/flavour", "(ENV['XDG_CONFIG_FILE'] || File.join(#{usual}, 'flavour'))"] }
      .each do |kind, (form, text)|
        name = kind.downcase.to_s
        native(name, extconf: "$defs << \"-DFLAVOUR=\#{File.size(#{text})}\"", value: "FLAVOUR")
        [nil, "#{folder}/one", "#{folder}/two"].each.with_index(1) do |place, number|
          env = { "XDG_CONFIG_#{kind}": place && format(form, place) }
          assert_equal [[name], []], install(project = another(name), **env), env.to_s
          assert_equal number.to_s, value(project, name)
          assert_equal [[], [name]], install(another(name), **env), reasons
        end
      end
  end

  # A compiler writes down how its sources are called, which is no place to go to.
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

  # Built once for each value of the variable, and then found again.
  def assert_follows(name, **env)
    assert_equal [[name], []], install(first = another(name))
    assert_equal [[name], []], install(second = another(name), **env)
    assert_equal %w[1 2], [value(first, name), value(second, name)]
    assert_equal [[], [name]], install(another(name))
    assert_equal [[], [name]], install(another(name), **env)
  end

  def wrapper(name, line)
    FileUtils.rm_f("#{folder}/wrapped/#{name}")
    write("wrapped/#{name}", "#!/bin/sh\n#{line}\n", mode: 0o755)
  end
end
