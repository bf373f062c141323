# frozen_string_literal: true

require_relative "build_case"

module Spate
  class ToolchainTest < BuildCase
    COMPILER = "echo called >> '%<log>s'; echo 'fakecc %<version>s'; echo 'InstalledDir: /somewhere'\n"

    def toolchain(env) = Build::Toolchain.new(store, Build::Environment.new(env))
    def calls = File.exist?(log) ? File.readlines(log).size : 0
    def log = File.join(folder, "calls")

    def fake(version) = programs("fakecc" => format(COMPILER, log: log, version: version)).merge("CC" => "fakecc -m64",
                                                                                                 "CXX" => "fakecc")

    def test_a_compiler_is_asked_once_and_again_when_it_changed
      env = fake("1.0")
      identity = toolchain(env).identity

      assert_match(/^cc fakecc 1\.0$/, identity)
      refute_match(/somewhere/, identity)
      asked = calls
      assert_equal identity, toolchain(env).identity
      assert_equal asked, calls
      File.unlink(File.join(folder, "bin/fakecc"))
      fake("1.0.1 ")

      assert_match(/^cc fakecc 1\.0\.1$/, toolchain(env).identity)
      assert_operator calls, :>, asked
    end

    def test_where_it_lies_does_not_matter
      first = toolchain(fake("1.0")).identity
      other = File.join(folder, "other")
      FileUtils.cp_r(File.join(folder, "bin"), other)

      assert_equal first, toolchain(fake("1.0").merge("PATH" => "#{other}:/usr/bin:/bin")).identity
    end

    def test_a_wrapper_does_not_hide_another_compiler_behind_it
      env = fake("1.0")
      toolchain(env).identity
      asked = calls
      write("behind/fakecc", "#!/bin/sh\n", mode: 0o755)
      toolchain(env.merge("PATH" => "#{env["PATH"]}:#{folder}/behind")).identity

      assert_operator calls, :>, asked
    end

    def test_a_machine_that_lost_its_compiler_is_the_one_it_was
      env = fake("1.0")
      identity = toolchain(env).identity
      FileUtils.rm_rf(File.join(folder, "bin"))

      assert_equal identity, toolchain(env).identity
      assert_match(/^cc absent$/, toolchain({ "CC" => "never-seen-cc", "PATH" => "/usr/bin" }).identity)
    end

    def test_the_real_compiler_and_library
      identity = toolchain(ENV.to_h).identity

      assert_match(/^cc .*\d+\.\d+/, identity)
      assert_match(/^libc (?:glibc \d|absent)/, identity)
      assert_path_exists toolchain(ENV.to_h).program("make")
      assert_nil toolchain(ENV.to_h).program("no-such-program")
    end
  end
end
