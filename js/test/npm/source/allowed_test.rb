# frozen_string_literal: true

require_relative "../npm_ci_case"

module Spate
  # Npm::Source::Allowed accepts and rejects the same archives as the installed npm, depending on allow-remote and
  # similar settings.
  class NpmAllowedTest < NpmCiCase
    def setup
      super
      @other = NpmRegistry.start
      %w[r @s/r].each { |name| @other.add(name, "1.0.0") }
    end

    def teardown
      @other&.stop
      super
    end

    def test_an_archive_that_package_json_names
      lock({ "name" => "app", "dependencies" => { "r" => @other.resolved("r", "1.0.0") } })
      assert_as_npm_takes("remote")
      npm, spate = takes?({})

      assert_equal npm, spate
      assert_equal [true, true], takes?("npm_config_allow_remote" => "all")
    end

    def test_an_archive_that_a_package_names
      add("a", "1.0.0", dependencies: { "r" => @other.resolved("r", "1.0.0") })
      lock({ "name" => "app", "dependencies" => { "a" => "1" } })
      assert_as_npm_takes("remote")
    end

    def test_an_archive_of_the_registry_named_by_address
      add("a", "1.0.0")
      lock({ "name" => "app", "dependencies" => { "a" => @registry.resolved("a", "1.0.0") } })
      assert_as_npm_takes("remote")
    end

    def test_a_lockfile_of_another_registry
      add("a", "1.0.0", dependencies: { "r" => "1" })
      add("r", "1.0.0")
      lock({ "name" => "app", "dependencies" => { "a" => "1" } })
      edit("node_modules/r", "resolved" => @other.resolved("r", "1.0.0"),
                             "integrity" => @other.integrity("r", "1.0.0"))
      assert_as_npm_takes("remote")
      assert_equal [true, true], takes?("npm_config_replace_registry_host" => "always")
    end

    def test_registries_of_scopes
      File.write("#{@root}/.npmrc", "@s:registry=#{@other.url}\n")
      lock({ "name" => "app", "dependencies" => { "@s/r" => "1" } })
      assert_equal [true, true], takes?("npm_config_allow_remote" => "none")
      lock({ "name" => "app", "dependencies" => { "alias" => "npm:@s/r@1" } })
      assert_as_npm_takes("remote")
    end

    def test_archives_that_an_override_names
      add("a", "1.0.0", dependencies: { "r" => "1" })
      lock({ "name" => "app", "dependencies" => { "a" => "1" },
             "overrides" => { "r" => @other.resolved("r", "1.0.0") } })
      assert_as_npm_takes("remote")
    end

    def test_archives_by_path_and_dependencies_of_a_workspace
      FileUtils.mkdir_p("#{@root}/w")
      File.binwrite("#{@root}/w/v.tgz", NpmRegistry::Package.new("v", "1.0.0").archive)
      write_json("w/package.json", "name" => "w", "version" => "1.0.0", "dependencies" => { "v" => "file:v.tgz" })
      lock({ "name" => "app", "workspaces" => ["w"] })
      assert_as_npm_takes("file")
    end

    def test_optional_package_is_omitted
      add("a", "1.0.0")
      lock({ "name" => "app", "dependencies" => { "a" => "1" },
             "optionalDependencies" => { "@s/r" => @other.resolved("@s/r", "1.0.0") } })
      npm("ci", "--ignore-scripts", "--allow-remote=none")
      made = plan_with("npm_config_allow_remote" => "none")

      assert_equal ["node_modules/a"], made.trees.map(&:path)
      assert_equal ["node_modules/@s/r"], made.skipped
      assert_equal File.read("#{@root}/node_modules/.package-lock.json"), state_of(made)
    end

    def test_error_names_the_archive_and_the_setting
      lock({ "name" => "app", "dependencies" => { "r" => @other.resolved("r", "1.0.0") } })
      error = assert_raises(JS::LockfileError) { plan_with("npm_config_allow_remote" => "none") }

      assert_match(/\Anode_modules.r comes from #{@other.url}\S+; expected an archive of #{@registry.url}, because /,
                   error.message)
      assert_equal "`allow-remote=root` in .npmrc allows it", error.hint
    end

    private

    def assert_as_npm_takes(kind)
      %w[none root].each do |value|
        npm, spate = takes?("npm_config_allow_#{kind}" => value)

        assert_equal npm, spate, "allow-#{kind}=#{value}"
        refute npm if value == "none"
      end
    end

    # Returns whether npm accepts the project, and whether Spate does.
    def takes?(settings)
      _, status = Open3.capture2e(environment(settings), "npm", "ci", "--ignore-scripts", chdir: @root,
                                                                                          unsetenv_others: true)
      [status.success?, !plan_with(settings).nil?]
    rescue JS::LockfileError
      [status.success?, false]
    end

    def environment(settings)
      NpmRegistry.env(@registry, home: @home).merge("PATH" => ENV.fetch("PATH"), **settings)
    end

    def plan_with(settings)
      project = JS::Project.find(@root, environment(settings))
      JS::Npm.plan(project, JS::Configuration.of(project, environment(settings)), nil)
    end
  end
end
