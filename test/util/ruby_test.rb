# frozen_string_literal: true

require "test_helper"
require "rbconfig"

module Spate
  module Util
    class RubyTest < Minitest::Test
      def test_same_values_as_rbconfig
        assert_equal RbConfig::CONFIG["ruby_version"], Ruby.api_version
        assert_equal File.realpath(RbConfig.ruby), File.realpath(Ruby.path)
        assert_equal RbConfig::CONFIG["CC"], Ruby.config("CC")
        code = "require 'spate'; print Spate::Util::Ruby.arch"
        assert_equal RbConfig::CONFIG["arch"], `#{Ruby.path} --disable-gems -I#{lib} -e "#{code}"`
      end

      def test_jit_does_not_change_the_ruby
        plain = "ruby 3.4.1 (2024-12-25 revision 48d4efcb85) [x86_64-linux]"
        [" +YJIT", " +YJIT dev", " +ZJIT stats", " +MJIT"].each do |jit|
          assert_equal plain, Ruby.description(plain.sub(" [", "#{jit} ["))
        end
        assert_equal plain.sub(" [", " +PRISM ["), Ruby.description(plain.sub(" [", " +YJIT +PRISM ["))
      end

      private

      def lib = File.expand_path("../../lib", __dir__)
    end
  end
end
