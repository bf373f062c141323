# frozen_string_literal: true

require "test_helper"
require "spate/inputs"

module Spate
  class InputsCase < Minitest::Test
    def setup
      @root = File.realpath(folder)
      @roots = { "bundle" => File.join(@root, "bundle") }
      @record = File.join(@root, "record")
    end

    def bundle(relative = nil) = [@roots["bundle"], relative].compact.join("/")

    # Waits longer than a tick of the kernel's clock.
    def grow_old = sleep(0.03)

    def write_old(relative, content = "")
      write(File.join(@roots["bundle"], relative), content).tap { grow_old }
    end

    def record(*entries, **options)
      assert_nil Inputs.record(@record, entries, @roots, **options)
      @record
    end

    def check(**options) = Inputs.check(@record, options.delete(:roots) || @roots, **options)

    def assert_holds(**options)
      assert_nil check(**options)
    end

    def assert_changed(reason, path, **options)
      assert_equal [reason, path], check(**options).first(2)
    end
  end
end
