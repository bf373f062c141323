# frozen_string_literal: true

require "install/build_learning_case"
require "zlib"

# Variables that programs read without a call to getenv.
class BuildVariablesTest < BuildLearningCase
  # { variable => { program => scripts that use it } }
  MEANT = {
    MY_FLAVOUR: { "sh" => ["cat <<EOF | tr -d '#'\n#${MY_FLAVOUR:-1}\nEOF\n"],
                  "make -f" => ["include conf.inc\nall:\n\t@echo $(F)\n"],
                  "perl" => ["print $ENV{uc 'my_flavour'} || 1"],
                  "python3" => ["import os\nprint(f\"\"\"\n# {os.environ.get('MY_FLAVOUR', 1)}\"\"\"[3:])"] },
    TF_BUILD: { "awk -f" => ["BEGIN { print ENVIRON[\"TF_BUILD\"] ? 2 : 1 }"],
                "python3" => ["import os\nprint(os.environ.get('TF_BUILD', 1))",
                              "import os\nprint(2 if 'TF_BUILD' in os.environ else 1)"] },
    ENV: { "sh" => ["echo ${ENV:-1}\n"] },
    X: { "sh" => ["echo ${X:-1}"] },
    "BASH_FUNC_one%%": { "bash" => ["type one >/dev/null 2>&1 || one() { echo 1; }\none\n"] },
    BASH_ENV: { "bash" => ["echo ${F:-1}\n"] },
    "my-flavour": { "make -f" => ["my-flavour ?= 1\nall:\n\t@echo $(my-flavour)\n"] },
    MAKEFLAGS: { "make -f" => ["F = 1\nall:\n\t@echo $(F)\n"] },
    GNUMAKEFLAGS: { "make -f" => ["F = 1\n\nall:\n\t@echo $(F)\n"] }
  }.freeze

  def test_variables_used_by_scripts
    names = MEANT.transform_values { |programs| gems(programs).sort }
    all = names.values.flatten.sort
    assert_equal [all, []], install(first = another(*all))
    assert_equal({ "1" => all }, all.group_by { |name| learned(first, name) })
    assert_equal [[], all], install(another(*all)), reasons.to_s
    names.each { |variable, meaning| assert_meant(variable, meaning) }
  end

  def test_variables_that_programs_search_themselves
    texts = { "dynamic" => "`#{search}`", "static" => "`#{search("-static")}`",
              "within" => "ENV.to_h.fetch('my_flavour'.upcase, 1)" }
    texts.each { |name, text| plain("value = #{text}", name: name) }
    assert_follows(names: texts.keys, second: { MY_FLAVOUR: "2" })
  end

  # A build may unpack a bundled library, run its configure script, and delete it.
  def test_variables_of_a_script_that_is_gone
    plain("system('gunzip', 'script.gz')\nvalue = `sh script`\nFile.unlink('script')",
          files: { "ext/alpha/script.gz" => Zlib.gzip("echo ${MY_FLAVOUR:-1}\n") })
    assert_follows(second: { MY_FLAVOUR: "2" })
  end

  def test_variables_of_a_compiled_script
    system("python3", "-c", "") or skip "needs Python"
    put("py/flavour.py", "import os\ndef f(): return os.environ.get('MY_FLAVOUR', '1')\n")
    system("python3", "-m", "py_compile", at("py/flavour.py"), exception: true)
    plain("value = `PYTHONPATH=#{at("py")} python3 -c 'import flavour; print(flavour.f())'`")
    assert_follows(second: { MY_FLAVOUR: "2" })
  end

  private

  # Adds one gem for each script, which it runs. Returns the gems' names.
  def gems(programs)
    programs = programs.except("python3") unless system("python3", "-c", "")
    programs.flat_map do |program, scripts|
      scripts.map do |script|
        name = "script#{@gems = @gems.to_i + 1}"
        included = "F = 1\nifdef MY_FLAVOUR\nF = $(MY_FLAVOUR)\nendif\n"
        plain("value = `#{program} ./script`", name: name, files: { "ext/alpha/script" => script,
                                                                    "ext/alpha/conf.inc" => included })
        name
      end
    end
  end

  def assert_meant(variable, meaning)
    value = { BASH_ENV: put("env", "F=2\n"), MAKEFLAGS: "F=2", GNUMAKEFLAGS: "F=2",
              "BASH_FUNC_one%%": "() { echo 2; }" }.fetch(variable, "2")
    assert_equal [meaning, []], install(project = another(*meaning), variable => value), variable
    assert_equal({ "2" => meaning }, meaning.group_by { |name| learned(project, name) })
  end

  # A program that searches `environ` itself.
  def search(*options)
    @search = @search.to_i + 1
    source = put("search.c", <<~C)
      #include <stdio.h>
      #include <string.h>
      extern char **environ;
      int main(void) {
        for (char **at = environ; *at; at++)
          if (strncmp(*at, "MY_FLAVOUR=", 11) == 0)
            return puts(*at + 11), 0;
        return puts("1"), 0;
      }
    C
    at("search#{@search}").tap { |path| system("cc", *options, "-o", path, source, exception: true) }
  end
end
