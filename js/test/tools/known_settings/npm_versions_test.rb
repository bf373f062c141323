# frozen_string_literal: true

require_relative "npm_settings_case"

module Spate
  # Settings whose effect differs between versions of npm have the effect of the installed npm.
  class KnownSettingsNpmVersionsTest < KnownSettingsNpmCase
    # npm 11 differs from npm 12 in these settings. Spate passes --ignore-scripts to npm 11.
    def test_with_npm11 = assert_same_with(NPM11)
    def test_with_npm12 = assert_same_with(NPM12)

    private

    def assert_same_with(version)
      with_npm(version) do
        %w[allow-remote strict-allow-scripts usage email strict-npmrc extension-file location].each do |key|
          assert_same(VIOLATIONS.fetch(key))
        end
      end
    end
  end
end
