# frozen_string_literal: true

require "test_helper"
require_relative "emulator"

module Spate
  class FreshEmulatorTest < Minitest::Test
    RULE = ":qemu-s390x:M::magic:mask:/usr/libexec/qemu:OPF\n"

    def setup
      super
      write("kernel/register", "")
      write("rules/qemu-s390x.conf", "# of Debian\n#{RULE}")
      write("rules/qemu-aarch64.conf", ":qemu-aarch64:\n")
    end

    def ready(arch)
      Fresh::Emulator.new(arch, kernel: "#{folder}/kernel", rules: "#{folder}/rules").ready
      File.read("#{folder}/kernel/register")
    end

    def test_emulator_is_registered
      assert_equal RULE, ready("s390x")
      assert_equal ":qemu-aarch64:\n", ready("arm64"), "by qemu's name"
    end

    def test_existing_registration_is_kept
      write("kernel/qemu-s390x", "enabled")

      assert_empty ready("s390x")
    end

    def test_own_architecture_needs_no_emulator
      assert_empty ready(`dpkg --print-architecture`.chomp)
    end

    def test_without_an_emulator
      assert_match(/programs of riscv64 \(apt-get install/, assert_raises(Fresh::Unable) { ready("riscv64") }.message)
    end

    def test_kernel_that_refuses_the_registration
      FileUtils.rm("#{folder}/kernel/register")
      FileUtils.mkdir("#{folder}/kernel/register")

      assert_match(/takes no emulator/, assert_raises(Fresh::Unable) { ready("s390x") }.message)
    end
  end
end
