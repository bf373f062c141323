# frozen_string_literal: true

require_relative "npm_ci_case"

module Spate
  # If optional packages are not available, cannot be built, or are for another system, a restore omits the same
  # packages as `npm ci`.
  class NpmOptionalTest < NpmCiCase
    # `failing` is deep in an optional branch: `top` depends on `middle`, which depends on `failing`. Each has a bin.
    # The packages that only these need are beside them and in their own node_modules.
    def setup
      super
      add("shared", bin: { "shared" => "x" }, files: { "x" => "" })
      add("only", "1.0.0", bin: { "only" => "x" }, files: { "x" => "" }, dependencies: { "shared" => "*" })
      add("only", "2.0.0")
      add("top", bin: { "top" => "x" }, files: { "x" => "" }, dependencies: { "@s/middle" => "*", "only" => "2.0.0" })
      add("@s/middle", dependencies: { "failing" => "*", "only" => "1.0.0", "@s/beside" => "*" })
      add("@s/beside", optionalDependencies: { "spare" => "*" })
      add("spare")
      add("stays", optionalDependencies: { "@t/gone" => "*", "only" => "3.0.0" }, dependencies: { "shared" => "*" })
      add("only", "3.0.0", optionalDependencies: { "@t/gone" => "*" })
      add("@t/gone")
      @project = { "dependencies" => { "stays" => "*" }, "optionalDependencies" => { "top" => "*" } }
    end

    def test_missing_archive
      failing
      @registry.fault(%r{/-/(?:failing|gone)-}, :status, code: 404)
      lock(@project)

      assert_as_npm_ci_does
    end

    def test_a_nested_version_of_a_missing_package
      add("only", "3.0.0", dependencies: { "@t/gone" => "*" })
      failing
      @registry.fault(%r{/-/gone-}, :status, code: 404)
      lock(@project)

      assert_as_npm_ci_does
    end

    def test_another_system
      failing(os: ["nowhere"])
      lock(@project)

      assert_as_npm_ci_does
    end

    %w[preinstall install postinstall].each do |event|
      define_method(:"test_a_script_that_fails_at_#{event}") do
        failing(scripts: { event => "exit 1" })
        lock(@project.merge("allowScripts" => { "failing" => true }))

        assert_as_npm_ci_does
      end
    end

    private

    def failing(**facts) = add("failing", bin: { "failing" => "x" }, files: { "x" => "" }, **facts)

    def assert_as_npm_ci_does
      FileUtils.cp_r(@root, beside = "#{@root}-beside")
      npm("ci")
      2.times do
        restore(beside, [], [], ignore_scripts: false)

        assert_empty NodeModulesComparison.compare(@root, beside)
        FileUtils.touch("#{beside}/package.json")
      end
    ensure
      FileUtils.rm_rf(beside)
    end
  end
end
