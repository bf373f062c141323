# frozen_string_literal: true

require "test_helper"

module Spate
  class RubyBuildTest < Minitest::Test
    def identity(description) = Build::RubyBuild.new(description: description).identity

    def test_jit_does_not_change_the_ruby
      plain = identity("ruby 3.4.1 (2024-12-25 revision 48d4efcb85) [x86_64-linux]")

      assert_equal plain, identity("ruby 3.4.1 (2024-12-25 revision 48d4efcb85) +YJIT +PRISM [x86_64-linux]")
      assert_equal plain, identity("ruby 3.4.1 (2024-12-25 revision 48d4efcb85) +YJIT stats +PRISM [x86_64-linux]")
      refute_equal plain, identity("ruby 3.4.2 (2025-02-04 revision 4e7f008908) +YJIT +PRISM [x86_64-linux]")
    end

    def test_another_configuration_is_another_ruby
      one = write("one.rb", %(  CONFIG["ENABLE_SHARED"] = "yes"\n))
      two = write("two.rb", %(  CONFIG["ENABLE_SHARED"] = "no"\n))

      refute_equal Build::RubyBuild.new(config_path: one).identity, Build::RubyBuild.new(config_path: two).identity
    end
  end
end
