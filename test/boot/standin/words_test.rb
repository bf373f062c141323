# frozen_string_literal: true

require "test_helper"
require "spate/boot/standin/child/words"

module Spate
  module Boot
    module Standin
      class WordsTest < Minitest::Test
        # As RubyGems writes them down; ffi's have such options.
        INSTALLED = <<~'RUBY'
          # -*- encoding: utf-8 -*-
          # stub: ffi 1.16.3 ruby lib

          Gem::Specification.new do |s|
            s.name = "ffi".freeze
            s.rdoc_options = ["--exclude=ext/ffi_c/.*\\.o$".freeze, "a \" $".freeze]
            s.description = "Tells ARGV, $stdout and defined? Foo apart; costs $9 \#{really}".freeze
            s.loaded_from = ENV["WHERE"]
          end
        RUBY

        def test_strings_of_a_specification_ask_nothing
          assert_empty Child::Words.of(INSTALLED)
        end

        def test_what_a_specification_asks_in_its_code_counts
          { "$stdout.tty?" => /output/, "\"\#{ARGV.first}\"" => /which program/, "\"a$\" if $\".any?" => /loaded/ }
            .each do |code, reason|
            found = Child::Words.of(INSTALLED.sub('ENV["WHERE"]', code))

            assert_match reason, found.join, code
          end
        end

        def test_strings_that_end_with_a_dollar
          assert_empty Child::Words.of('files = ["a.o$".freeze, "b$" .freeze]')
          assert_equal ["asks what is loaded"], Child::Words.of('x if !$".grep(/json/).empty?')
        end
      end
    end
  end
end
