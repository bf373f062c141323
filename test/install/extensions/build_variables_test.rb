# frozen_string_literal: true

require "install/build_learning_case"
require "zlib"

# Variables that no program asks for by name.
class BuildVariablesTest < BuildLearningCase
  # In ways in which no program asks libc for them: {what a script says => [name, other value]}.
  def test_variables_that_scripts_mean
    scripts = {
      "sh" => { "cat <<EOF | tr -d '#'\n#${MY_FLAVOUR:-1}\nEOF\n" => :MY_FLAVOUR, "echo ${ENV:-1}\n" => :ENV,
                "echo ${X:-1}" => :X },
      "bash" => { "type one >/dev/null 2>&1 || one() { echo 1; }\none\n" => [:"BASH_FUNC_one%%", "() { echo 2; }"],
                  "echo ${F:-1}\n" => [:BASH_ENV, put("env", "F=2\n")] },
      "make -f" => { "include conf.inc\nall:\n\t@echo $(F)\n" => :MY_FLAVOUR,
                     "F = 1\nall:\n\t@echo $(F)\n" => [:MAKEFLAGS, "F=2"],
                     "my-flavour ?= 1\nall:\n\t@echo $(my-flavour)\n" => :"my-flavour",
                     "F = 1\n\nall:\n\t@echo $(F)\n" => [:GNUMAKEFLAGS, "F=2"] },
      "perl" => { "print $ENV{uc 'my_flavour'} || 1" => :MY_FLAVOUR },
      "awk -f" => { "BEGIN { print ENVIRON[\"TF_BUILD\"] ? 2 : 1 }" => :TF_BUILD },
      "python3" => { "import os\nprint(os.environ.get('TF_BUILD', 1))" => :TF_BUILD,
                     "import os\nprint(2 if 'TF_BUILD' in os.environ else 1)" => :TF_BUILD,
                     "import os\nprint(f\"\"\"\n# {os.environ.get('MY_FLAVOUR', 1)}\"\"\"[3:])" => :MY_FLAVOUR }
    }
    scripts.delete("python3") unless system("python3", "-c", "")
    scripts.each do |program, meanings|
      meanings.each { |script, change| assert_meant("`#{program} ./script`", script, *change) }
    end
  end

  def test_variables_that_programs_search_themselves
    ["`#{search}`", "`#{search("-static")}`", "ENV.to_h.fetch('my_flavour'.upcase, 1)"].each do |text|
      assert_meant(text, "", :MY_FLAVOUR)
    end
  end

  # As configure scripts of libraries that a gem brings packed, and whose folder it takes away.
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

  def assert_meant(text, script, name, value = "2")
    @version = @version.to_i + 1
    plain("value = #{text}", version: "1.#{@version}", files: {
            "ext/alpha/script" => script, "ext/alpha/conf.inc" => "F = 1\nifdef MY_FLAVOUR\nF = $(MY_FLAVOUR)\nendif\n"
          })
    assert_follows("#{text} #{script}", second: { name => value })
  end

  # A program that looks through the environment itself.
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
