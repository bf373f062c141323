# frozen_string_literal: true

require "boot/exec_case"
require "support/npm_registry"

module Spate
  # Runs the tasks of the newest jsbundling-rails and cssbundling-rails under `spate exec`, in a project that Spate has
  # restored. The tasks must then not install packages.
  class BundlingTasksTest < ExecCase
    GEMS = %w[jsbundling-rails cssbundling-rails].freeze
    RAKE = Gem::Specification.stubs_for("rake").first.full_require_paths.first
    TASKS = 'Dir["gems/*/lib/tasks/*bundling/build.rake"].sort.each { |path| load path };' \
            'Rake.application.run(["-n", "-f", File::NULL, "javascript:build", "css:build"])'

    def setup
      super
      skip "fetches gems: only with --full" unless ENV["SPATE_TEST_FULL"]
      skip "no npm on the PATH" unless JS::Tools::Program.find("npm", ENV.fetch("PATH"))
      fetch
      @registry = NpmRegistry.start
      @registry.add("one", "1.0.0", files: { "index.js" => "" })
      @env = NpmRegistry.env(@registry, home: project.home)
      write("app/package.json", JSON.generate(name: "app", dependencies: { one: "1.0.0" }))
      project.run!("npm", "install", "--package-lock-only", **@env)
    end

    def teardown
      @registry&.stop
      super
    end

    def test_bundling_tasks_install_unless_node_modules_is_in_place
      assert_equal %w[javascript:install javascript:build css:install css:build], tasks
      project.spate!("js", **@env)

      assert_equal %w[javascript:build css:build], tasks
      FileUtils.rm_rf(project.path("node_modules/one"))

      assert_equal %w[javascript:install javascript:build css:install css:build], tasks
    end

    private

    def fetch
      gems = project.path("gems")
      FileUtils.mkdir_p(gems)
      GEMS.each do |name|
        output, status = Open3.capture2e("gem", "fetch", name, chdir: gems)
        skip "#{name} cannot be fetched: #{output.lines.last}" unless status.success?
        system("gem", "unpack", *Dir.children(gems).grep(/\.gem\z/), chdir: gems, out: File::NULL, exception: true)
      end
    end

    # Adds the gem to the lockfile, although only the tasks are loaded: the gem itself depends on all of Rails.
    def bundle
      path = project.path("Gemfile.lock")
      text = File.read(path)
      return if text.include?("jsbundling")

      File.write(path, text.sub(/^  specs:\n/) { |line| "#{line}    jsbundling-rails (1.0)\n" })
    end

    # Names of the tasks that a dry run would execute.
    def tasks
      bundle
      output, status = spate_exec("ruby", "-I#{RAKE}", "-rrake", "-e", TASKS, **@env)
      assert_predicate status, :success?, output
      output.scan(/Execute \(dry run\) (\S+)/).flatten
    end
  end
end
