# frozen_string_literal: true

require "test_helper"

module Spate
  class EnvironmentTest < Minitest::Test
    def text(env, names = []) = Build::Environment.new(env).text(names)

    def test_what_compilers_read_is_told
      env = { "CFLAGS" => "-O3", "PKG_CONFIG_PATH" => "/opt/lib", "NOKOGIRI_USE_SYSTEM_LIBRARIES" => "1",
              "HOME" => "/home/me" }

      assert_equal %(CFLAGS="-O3"\nNOKOGIRI_USE_SYSTEM_LIBRARIES="1"\nPKG_CONFIG_PATH="/opt/lib"\n), text(env)
    end

    def test_what_changes_from_shell_to_shell_is_not
      volatile = %w[PATH HOME PWD OLDPWD SHLVL TERM _ USER DISPLAY SSH_TTY GITHUB_RUN_ID CI_PROJECT_DIR XDG_RUNTIME_DIR
                    TMPDIR]

      assert_empty text(volatile.to_h { |name| [name, "x"] })
    end

    def test_what_a_gem_asks_for_is_told_once
      env = { "FOO_DIR" => "/opt/foo", "CC" => "clang" }

      assert_equal %(CC="clang"\nFOO_DIR="/opt/foo"\n), text(env, %w[FOO_DIR CC ABSENT])
    end

    def test_how_many_jobs_there_are_does_not_matter
      assert_empty text({ "MAKEFLAGS" => "-j8" })
      assert_empty text({ "MAKEFLAGS" => " -j --jobserver-auth=3,4" })
      assert_equal %(MAKEFLAGS="-k"\n), text({ "MAKEFLAGS" => "-k --jobs=4" })
      assert_equal %(MAKEFLAGS="V=1"\n), text({ "MAKEFLAGS" => "-j 4 V=1" })
    end

    def test_bundle_exec_around_us_leaves_no_trace
      env = { "RUBYOPT" => "-W0 -r/usr/lib/bundler/setup", "RUBYLIB" => "/usr/lib/bundler",
              "BUNDLER_ORIG_RUBYLIB" => "/mine", "BUNDLER_ORIG_GEM_HOME" => Build::Environment::ABSENT,
              "GEM_HOME" => "/x", "BUNDLE_BIN_PATH" => "/usr/bin/bundle" }
      environment = Build::Environment.new(env)

      assert_equal %(RUBYLIB="/mine"\nRUBYOPT="-W0"\n), environment.text
      changes = environment.changes(gem_home: "/bundle", makeflags: "-j")
      assert_equal ["/mine", "-W0", "/bundle", "", "-j"],
                   changes.values_at("RUBYLIB", "RUBYOPT", "GEM_HOME", "GEM_PATH", "MAKEFLAGS")
      assert_nil changes["BUNDLE_BIN_PATH"]
    end

    def test_a_child_gets_this_environment_and_no_other
      environment = Build::Environment.new({ "PATH" => ENV.fetch("PATH"), "ONLY" => "this" })
      output = IO.popen([environment.changes(gem_home: "/g"), "env"], &:read)

      assert_equal %w[GEM_HOME=/g GEM_PATH= ONLY=this], output.lines(chomp: true).grep_v(/\A(?:PATH|PWD|SHLVL|_)=/).sort
    end
  end
end
