# frozen_string_literal: true

require_relative "../npm_ci_case"

module Spate
  # The `devEngines`, `engines` and `os` of a project are checked as npm checks them.
  class NpmDevEnginesTest < NpmCiCase
    NODE = { "name" => "node", "version" => ">=99" }.freeze
    FITS = [{ "runtime" => { "name" => "node", "version" => ">=1" } }, { "packageManager" => { "name" => "npm" } },
            { "runtime" => [{ "name" => "bun" }, { "name" => "node" }] }, { "runtime" => [] }].freeze
    REFUSED = [{ "runtime" => NODE }, { "packageManager" => { "name" => "pnpm" } }, { "os" => { "name" => "nowhere" } },
               { "runtime" => NODE.merge("onFail" => "download") }].freeze
    UNKNOWN = [nil, { "shell" => { "name" => "sh" } }, { "runtime" => { "version" => "1" } },
               { "runtime" => { "name" => "node", "onFail" => "explode" } }].freeze
    WARNED = { "runtime" => [{ "name" => "bun" }, NODE.merge("onFail" => "warn")] }.freeze

    def test_accepts_matching_engines
      FITS.each { |value| assert_taken(value) }
      assert_taken({ "runtime" => NODE.merge("onFail" => "ignore") })
    end

    def test_refuses_engines_that_do_not_match
      REFUSED.each { |value| assert_refused(value, /devEngines/) }
      error = assert_refused(REFUSED.first, /requires runtime node >=99 \(devEngines\), found node \d/)

      assert_equal 3, error.exit_code
    end

    def test_refuses_values_unknown_to_npm
      UNKNOWN.each { |value| assert_refused(value, /devEngines.*: invalid value /) }
    end

    def test_warns_if_on_fail_is_warn
      made = assert_taken(WARNED)

      assert_match(/requires runtime bun or node >=99 \(devEngines\), found node \d/, made.warnings.first)
      assert_equal 1, assert_taken(REFUSED.first, "--force").warnings.size
    end

    def test_engines_of_the_root_without_dev_engines
      write({ "engines" => { "node" => ">=99" } })
      assert_both_refuse(/package.json needs node >=99; found node \d/, "--engine-strict")
      assert_both_take("--engine-strict", "--force")
      write({ "engines" => { "node" => ">=99" }, "devEngines" => FITS.first })
      assert_both_take("--engine-strict")
    end

    # npm 10.9.0 is the first version that supports `devEngines`.
    def test_ignored_by_npm_versions_without_the_field
      write({ "devEngines" => { "node" => "12.x" } })
      assert_equal [[], :refused], %w[10.8.3 10.9.0].map { |version| with_npm(version) }
    end

    def test_systems_of_the_root
      write({ "os" => ["nowhere"] })
      assert_both_refuse(/package.json is for nowhere; this machine is/)
      assert_both_take("--force")
    end

    private

    def with_npm(version)
      program = "#{write_json("npm/package.json", "name" => "npm", "version" => version) && @root}/npm/npm"
      File.write(program, "#!/bin/sh\n", perm: 0o755)
      @settings.env["PATH"] = "#{@root}/npm:#{ENV.fetch("PATH")}"
      plan.warnings
    rescue JS::LockfileError
      :refused
    end

    def assert_taken(value, *settings)
      write({ "devEngines" => value })
      assert_both_take(*settings)
    end

    def assert_refused(value, message)
      write({ "devEngines" => value })
      assert_both_refuse(message)
    end
  end
end
