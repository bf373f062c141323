# frozen_string_literal: true

require "test_helper"
require "json"
require "support/project"

module Spate
  # Runs the commands of the recipes in docs/boot-recipes.md in order. In between, files are copied so that they lose
  # what container layers and CI caches do not preserve.
  class BootRecipesTest < Minitest::Test
    PAGE = File.read(File.expand_path("../../docs/boot-recipes.md", __dir__), encoding: "UTF-8")
    PROGRAM = <<~'RUBY'
      #!/usr/bin/env ruby
      require "tool"
      require "base"
      $LOAD_PATH.unshift File.expand_path("app", __dir__)
      require "thing"
      require_relative "config/environment"
      require "json"
      session = Spate::Boot.session
      recorded = Spate::Native::Loader.recorded.to_h
      puts JSON.generate(parts: session.parts, counts: Spate::Native::Loader.counts,
                         thing: [Thing::NAME, __dir__], recorded: recorded, tool: Tool::VERSION)
    RUBY

    def setup
      @source = GemSource.start
      @source.add("tool", "1.0", dependencies: { "base" => ">= 1" },
                                 files: { "lib/tool.rb" => "module Tool\n  VERSION = '1.0'\nend\n" })
      @source.add("base", "1.2", files: { "lib/base.rb" => "require 'base/inner'\n",
                                          "lib/base/inner.rb" => "BASE = 1\n" })
      @project = TestProject.new("#{folder}/app", "source '#{@source.url}'\ngem 'tool'\n",
                                 env: { "BUNDLE_PATH" => "#{folder}/app/vendor/bundle", "BUNDLE_FROZEN" => nil })
      @project.lock
      write("app/app/thing.rb", "module Thing\n  NAME = 'thing'\nend\n")
      write("app/lib/other.rb", "OTHER = 1\n")
      write("app/config/environment.rb", "ENVIRONMENT = 1\n")
      write("app/program.rb", PROGRAM, mode: 0o755)
      sleep 0.05 # younger files are always compared by content
    end

    def teardown
      @source.stop
      super
    end

    attr_reader :project

    # The lines of the page's code block in a language.
    def block(language) = PAGE[/^```#{language}\n(.*?)^```$/m, 1].lines(chomp: true)

    def caches = "#{project.home}/spate/store/v1/compile-cache"
    def spate!(line, **env) = project.spate!(*line.delete_prefix("spate ").split, **env)

    # Boots the program. Returns the last line of its output, parsed as JSON.
    def boot(**env)
      output, status = project.spate("exec", "./program.rb", **env)
      assert_predicate status, :success?, output
      JSON.parse(output.lines.last)
    rescue JSON::ParserError
      flunk output
    end

    # Replaces a path with a copy: the same bytes, with other inodes and current times.
    def copied(path)
      File.rename(path, "#{path}.before")
      assert system("cp", "-r", "#{path}.before", path)
      FileUtils.rm_rf("#{path}.before")
    end

    def outcomes(facts, pattern) = facts["recorded"].select { |path, _| path.match?(pattern) }

    def layer
      block("dockerfile").filter_map { |line| line[/^RUN (spate .*)/, 1] }.each do |line|
        line.start_with?("spate exec") ? next : spate!(line)
      end
    end

    def container
      layer
      copied(project.folder)
      FileUtils.rm_rf(Dir["#{project.home}/spate/*"] - [File.dirname(caches, 2)])
      FileUtils.rm_rf(Dir["#{File.dirname(caches)}/*"] - [caches])
      copied(caches)
    end

    def test_the_recipe_has_its_commands
      assert_equal ["spate install --copy --compile-cache off", "spate boot build app lib config"],
                   (block("dockerfile").filter_map { |line| line[/^RUN (spate .*)/, 1] })
      assert_includes block("dockerfile"), "ENV SPATE_READONLY=1"
    end

    def test_a_container_boots_from_the_layers_compile_caches
      container
      before = Dir["#{caches}/**/*"].to_h { |path| [path, File.stat(path).mtime] }
      facts = boot(SPATE_READONLY: "1")

      assert_equal [true] * 3, facts["parts"].values_at("loader", "replay", "load_path_cache")
      assert_equal ["thing", project.folder], facts["thing"]
      assert_operator facts["counts"]["revalidated"], :>=, 5
      assert_equal [0, 0], facts["counts"].values_at("stale", "damaged")
      assert_equal before, Dir["#{caches}/**/*"].to_h { |path| [path, File.stat(path).mtime] }
    end

    def test_container_compiles_no_files
      container
      status = JSON.parse(project.spate!("boot", "status", "--json").lines.last)

      assert_equal [3, 0, 0], status["overlay"].values_at("revalidated", "stale", "damaged")
      assert_equal 2, status["gems"]["named"]
      assert_empty status["gems"]["missing"]
      facts = boot(SPATE_READONLY: "")
      assert_equal 0, facts["counts"]["stale"]
      report = JSON.parse(project.spate!("boot", "build", "--json").lines.last)
      assert_equal 0, report["failed"]
      assert_equal "hit", boot["recorded"][project.path("app/thing.rb")]
    end

    def test_a_file_that_differs_in_the_container_is_compiled
      container
      write("app/app/thing.rb", "module Thing\n  NAME = 'THING'\nend\n") # same size
      facts = boot(SPATE_READONLY: "1")

      assert_equal "THING", facts["thing"].first
      assert_equal 1, facts["counts"]["stale"]
    end

    def test_at_another_path_the_program_runs_without_the_compile_caches
      container
      File.rename(project.folder, "#{folder}/moved")
      moved = TestProject.allocate
      moved.instance_variable_set(:@folder, "#{folder}/moved")
      moved.instance_variable_set(:@home, project.home)
      moved.instance_variable_set(:@extra, { "BUNDLE_PATH" => "#{folder}/moved/vendor/bundle" })
      output, status = moved.spate("exec", "./program.rb", SPATE_READONLY: "1")

      assert_predicate status, :success?, output
      facts = JSON.parse(output.lines.last)
      assert_equal ["thing", "#{folder}/moved"], facts["thing"]
      assert_equal 0, facts["counts"]["hit"] + facts["counts"]["revalidated"]
    end

    def test_compile_caches_of_another_owner_are_not_used
      skip "only root can give files away" unless Process.euid.zero?
      container
      Dir["#{caches}/**/*", caches].each { |path| File.lchown(65_534, nil, path) }
      output, status = project.spate("exec", "./program.rb", SPATE_READONLY: "1")

      assert_predicate status, :success?, output
      assert_match(/^spate: .*65534/, output)
      assert_equal 0, JSON.parse(output.lines.last)["counts"]["hit"]
    end

    def test_a_cache_of_ci
      commands = block("yaml").filter_map { |line| line[/^- run: (spate [^#]*?) *(#|$)/, 1] }
      assert_equal ["spate install --compile-cache wait", "spate exec rake test", "spate boot build"], commands

      2.times do |round|
        spate!(commands[0], CI: "1")
        facts = boot(CI: "1")
        spate!(commands[2], CI: "1")
        if round.zero?
          assert_equal "miss", facts["recorded"][project.path("app/thing.rb")]
          next_job
        else
          assert_equal [0, 0], facts["counts"].values_at("stale", "damaged")
          assert_match(/revalidated|hit/, facts["recorded"][project.path("app/thing.rb")])
          assert_empty outcomes(facts, %r{/vendor/bundle/}).values.uniq - %w[hit revalidated]
          refute_empty outcomes(facts, %r{/vendor/bundle/})
        end
      end
    end

    # Simulates the next CI job: a fresh checkout without the bundle, and the cache from an archive with whole seconds.
    def next_job
      FileUtils.rm_rf(project.path("vendor"))
      copied(project.folder)
      archive = "#{folder}/cache.tar"
      assert system("tar", "--format=ustar", "-C", project.home, "-cf", archive, "spate")
      FileUtils.rm_rf("#{project.home}/spate")
      assert system("tar", "-C", project.home, "-xf", archive)
    end
  end
end
