# frozen_string_literal: true

require "test_helper"

module Spate
  class PnpmDepPathTest < Minitest::Test
    DepPath = JS::Pnpm::DepPath

    # The name was created by pnpm 9.
    def test_folder_names_of_old_versions
      key = "@csstools/css-calc@2.1.4(@csstools/css-parser-algorithms@3.0.5(@csstools/css-tokenizer@3.0.4))" \
            "(@csstools/css-tokenizer@3.0.4)"
      name = "@csstools+css-calc@2.1.4_@csstools+css-parser-algorithms@3.0.5_@csstools+css-tokenizer@3.0.4__" \
             "w6bxvhxcuwf7wuvvqqujerjqsm"

      assert_equal name, JS::Pnpm::DepPath.file_name(key, 120, old: true)
    end

    def test_splits_a_key
      assert_equal ["@a/b", "1.0.0(c@2.0.0)"], DepPath.split("@a/b@1.0.0(c@2.0.0)")
      assert_raises(JS::LockfileError) { DepPath.split("nothing") }
      key = "a@1.0.0(patch_hash=ab)(b@2.0.0(c@3.0.0))"

      assert_equal "a@1.0.0", DepPath.package(key)
      assert_equal "a@1.0.0(patch_hash=ab)", DepPath.with_patch(key)
      assert_equal "a@1.0.0", DepPath.with_patch("a@1.0.0(b@2.0.0)")
      assert_raises(JS::LockfileError) { DepPath.package("a)b)") }
    end

    def test_distinguishes_keys_from_versions
      assert_equal "a@1.0.0", DepPath.resolve("a", "1.0.0")
      assert_equal "a@1.0.0(b@1.0.0)", DepPath.resolve("a", "1.0.0(b@1.0.0)")
      assert_equal "@x/y@1.0.0", DepPath.resolve("a", "@x/y@1.0.0")
      assert_equal "y@1.0.0", DepPath.resolve("a", "y@1.0.0")
      assert_equal "a@https://host/me@x.tgz", DepPath.resolve("a", "https://host/me@x.tgz")
      assert_nil DepPath.resolve("a", "link:../a")
    end

    def test_folder_names
      assert_equal "@a+b@1.0.0_c@2.0.0_d@3.0.0_", DepPath.file_name("@a/b@1.0.0(c@2.0.0(d@3.0.0))", 120)
      assert_equal "file+x+y", DepPath.file_name("file:x/y", 120)
      assert_equal "a@https+++host+a.tgz", DepPath.file_name("a@https://host/a.tgz", 120)
    end

    # The names were created by pnpm.
    def test_long_names_are_shortened
      long = "eslint-config-airbnb@19.0.4(eslint-plugin-import@2.32.0)(eslint-plugin-jsx-a11y@6.10.2(eslint@8.57.1))" \
             "(eslint-plugin-react-hooks@4.6.2(eslint@8.57.1))"
      name = DepPath.file_name(long, 120)

      assert_equal 120, name.size
      assert name.start_with?("eslint-config-airbnb@19.0.4_eslint-plugin-import@2.32.0_eslint-plugin-jsx-a11y@6.10.2_e")
      assert_match(/\AJSONStream@1.3.5_\h{32}\z/, DepPath.file_name("JSONStream@1.3.5", 120))
    end
  end
end
