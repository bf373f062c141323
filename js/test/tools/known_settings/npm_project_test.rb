# frozen_string_literal: true

require_relative "npm_settings_case"

module Spate
  # Each setting in the project's .npmrc has the same effect as in npm.
  class KnownSettingsNpmProjectTest < KnownSettingsNpmCase
    def test_in_the_project = VIOLATIONS.each_value { |lines| assert_same(lines) }
  end
end
