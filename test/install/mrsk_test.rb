# frozen_string_literal: true

require "support/app_case"

# A small real application with precompiled gems, compiled gems and a path gem.
class MrskTest < Spate::AppCase
  def test_mrsk_is_installed_as_bundler_installs_it
    skip "mrsk's lockfile has a nokogiri for Ruby before 3.3" if RUBY_VERSION >= "3.3"

    compare("mrsk") do |app|
      version = app.bundle("exec", "ruby", "-e", "require 'active_support'; puts ActiveSupport.version")

      assert_match(/\A7\.0\.4/, version)
      assert_operator linked(app), :>, 100
      # 32 gems from the gem source, and the path gem.
      assert_match(/33 gems in place, nothing to do/, app.spate!("install"))
    end
  end
end
