# frozen_string_literal: true

require "test_helper"
require "support/boot_rails"
require "support/boot_sameness"

module Spate
  # An application booted by plain Ruby, and by Spate from compile caches with each part alone and with all parts.
  class BootSamenessCase < Minitest::Test
    TELL = ["bin/rails", "runner", "tell.rb"].freeze

    private

    # Boots with plain Ruby and with Spate, and asserts the same exit code, warnings and state. plain: the result of an
    # earlier plain boot, which is then not repeated. Returns [state, Result] of the boot with Spate.
    def assert_same_boot(app, hits: 500, plain: nil, **more)
      plain, expected = plain || app.told(spate: false, **more)
      told, found = app.told(spate: true, **more)

      assert_operator found.hits, :>, hits, found.facts if hits
      assert_equal expected.code, found.code, found.err
      assert_equal BootSameness.warnings(expected.err), BootSameness.warnings(found.err)
      assert_same_told(plain, told)
      [told, found]
    end

    def assert_same_told(plain, told)
      refute_empty plain
      expected = BootSameness.essence(plain)
      found = BootSameness.essence(told)
      expected.each_key do |name|
        next assert_equal(expected[name], found[name], name) unless expected[name].is_a?(Array)

        assert_empty expected[name] - found[name], "#{name}: plain Ruby has more"
        assert_empty found[name] - expected[name], "#{name}: plain Ruby has less"
        assert_equal expected[name], found[name], "#{name}: another order"
      end
    end

    # Boots until files are loaded from compile caches: see BootProject#warm.
    def warm(app, **more)
      app.warm(*TELL, BOOT_TOLD: "#{app.home}/told", **more)
    end
  end
end
