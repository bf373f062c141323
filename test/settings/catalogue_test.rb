# frozen_string_literal: true

require "test_helper"

module Spate
  class Settings
    # The documentation, the program and this machine's Bundler must have the same settings.
    class CatalogueTest < Minitest::Test
      TABLE = File.read(File.expand_path("../../docs/settings.md", __dir__), encoding: "UTF-8")

      def documented = TABLE.scan(/`([a-z][\w.-]*)`/).flatten.uniq

      # Rows of the tables: { name => "honoured", "Bundler" or "no effect" }.
      def rows
        TABLE.scan(/^\| (`[^|]+) \|[^|]*\| ([^|]+) \|/).each_with_object({}) do |(names, fate), found|
          names.scan(/`([^`]+)`/).flatten.each { |name| found[name] = fate }
        end
      end

      def test_every_setting_of_this_bundler_is_in_the_table
        script = "require 'bundler'; s = Bundler::Settings; " \
                 "puts (s::BOOL_KEYS + s::NUMBER_KEYS + s::ARRAY_KEYS + s::STRING_KEYS).uniq"
        known = IO.popen([RbConfig.ruby, "-e", script], &:readlines).map(&:chomp)
        assert_operator known.size, :>, 40
        assert_empty known - documented
      end

      def test_settings_left_to_bundler_are_those_of_the_table
        left = rows.select { |_, fate| fate == "Bundler" }.keys.map { |name| name.sub("NAME", "") }
        assert_equal (Catalogue::HANDED_OVER.keys + Catalogue::PREFIXES.keys).sort, left.sort
        rows.each do |name, fate|
          refute Catalogue.reason(name), "#{name} is #{fate} in the table" unless fate == "Bundler"
        end
      end
    end
  end
end
