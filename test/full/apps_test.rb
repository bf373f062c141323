# frozen_string_literal: true

require "support/app_case"

# Spate installs the same files as Bundler for two large real applications. Each tool compiles for minutes.
class AppsTest < Spate::AppCase
  def test_lobsters_is_installed_as_bundler_installs_it
    compare("lobsters") { |app| boots(app) }
  end

  def test_human_essentials_is_installed_as_bundler_installs_it
    compare("human-essentials") { |app| boots(app) }
  end

  private

  def boots(app)
    output = app.bundle("exec", "ruby", "-e", "require 'rails/all'; require 'nokogiri'; puts Rails.version")

    assert_match(/^7\.\d/, output)
    assert_match(/nothing to do/, app.spate!("install"))
  end
end
