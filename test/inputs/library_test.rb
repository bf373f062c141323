# frozen_string_literal: true

require_relative "inputs_case"

module Spate
  # A recorded shared library is still valid after an update with the same name and symbol versions.
  class InputsLibraryTest < InputsCase
    FUNCTIONS = "int one(void) { return %d; } int two(void) { return 2; }"
    VERSIONS = "X_1 { global: one; local: *; }; X_2 { global: two; } X_1;"

    def build(value, name: "libx.so.1", versions: VERSIONS)
      source = write("x.c", format(FUNCTIONS, value))
      script = write("x.map", versions)
      library = "#{@root}/libx.so"
      assert system("cc", "-shared", "-fPIC", "-Wl,-soname,#{name}", "-Wl,--version-script=#{script}",
                    "-o", "#{library}.new", source)
      File.rename("#{library}.new", library)
      library
    end

    def test_compatible_update_holds
      library = build(1)
      record([:library, library])
      build(7)
      grow_old
      assert_equal :renewed, check(renew_to: @record)
      assert_holds
    end

    def test_another_name_or_a_missing_version_does_not_hold
      library = build(1)
      record([:library, library])
      build(1, name: "libx.so.2")
      assert_changed :library, library
      build(1, versions: "X_1 { global: one; two; local: *; };")
      assert_changed :library, library
      File.write(library, "INPUT(libx.so.1)")
      assert_changed :library, library
    end

    def test_file_that_is_not_a_library_is_compared_by_content
      script = write_old("libx.so", "INPUT(libx.so.1)")
      record([:library, script])
      File.write(script, "INPUT(libx.so.2)")
      assert_changed :content, script
    end
  end
end
