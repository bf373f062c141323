# frozen_string_literal: true

require "test_helper"

module Spate
  class EnvironmentTest < Minitest::Test
    def variables(env) = Build::Environment.new(env).variables

    def test_volatile_variables_do_not_count
      volatile = %w[PATH HOME PWD OLDPWD SHLVL TERM COLUMNS _ USER DISPLAY SSH_TTY XDG_RUNTIME_DIR TMPDIR LC_ALL]

      others = %w[FOO LESS_MEMORY MAILER HISTOGRAM]
      assert_equal others, Build::Environment.new((volatile + others).to_h { |name| [name, "x"] }).countable_names
    end

    def test_number_of_jobs_does_not_matter
      assert_empty variables({ "MAKEFLAGS" => "-j8" })
      assert_empty variables({ "MAKEFLAGS" => " -j --jobserver-auth=3,4" })
      assert_equal({ "MAKEFLAGS" => "-k" }, variables({ "MAKEFLAGS" => "-k --jobs=4" }))
      assert_equal({ "MAKEFLAGS" => "V=1" }, variables({ "MAKEFLAGS" => "-j 4 V=1" }))
    end

    def test_variables_of_bundle_exec_are_removed
      env = { "RUBYOPT" => "-W0 -r/usr/lib/bundler/setup", "RUBYLIB" => "/usr/lib/bundler",
              "BUNDLER_ORIG_RUBYLIB" => "/mine", "BUNDLER_ORIG_GEM_HOME" => Util::Environment::NOT_SET,
              "GEM_HOME" => "/x", "BUNDLE_BIN_PATH" => "/usr/bin/bundle" }
      environment = Build::Environment.new(env)

      assert_equal %w[/mine -W0], environment.variables.values_at("RUBYLIB", "RUBYOPT")
      changes = environment.changes(gem_home: "/bundle", makeflags: "-j")
      assert_equal ["/mine", "-W0", "/bundle", "", "-j"],
                   changes.values_at("RUBYLIB", "RUBYOPT", "GEM_HOME", "GEM_PATH", "MAKEFLAGS")
      assert_nil changes["BUNDLE_BIN_PATH"]
    end

    def test_a_child_gets_this_environment_and_no_other
      environment = Build::Environment.new({ "PATH" => ENV.fetch("PATH"), "HOME" => "/home/me", "ONLY" => "this" })
      output = IO.popen([environment.changes(gem_home: "/g"), "env"], &:read)

      assert_equal %w[GEM_HOME=/g GEM_PATH= GEM_SPEC_CACHE=/home/me/.cache/gem/specs HOME=/home/me ONLY=this],
                   output.lines(chomp: true).grep_v(/\A(?:PATH|PWD|SHLVL|_)=/).sort
    end
  end
end
