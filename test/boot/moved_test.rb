# frozen_string_literal: true

require "test_helper"
require "json"
require "support/project"

module Spate
  # An application that is built in one folder and runs in another, as on Heroku or in Capistrano's releases. See
  # docs/boot-recipes.md.
  class MovedTest < Minitest::Test
    PROGRAM = <<~'RUBY'
      require "tool"
      require_relative "app/thing"
      require "json"
      puts JSON.generate(replay: Spate::Boot.session.parts[:replay], recorded: Spate::Native::Loader.recorded.to_h,
                         paths: [Thing::FILE, *Thing.place, Tool::FILE, *Tool.place], folder: Thing.folder)
    RUBY
    # Paths in compiled code: of the file, and of a call in a backtrace.
    MODULE = "module %<name>s\n  FILE = __FILE__\n  def self.folder = __dir__\n  " \
             "def self.place = caller_locations(0, 1).first.then { |line| [line.path, line.absolute_path] }\nend\n"

    def setup
      @source = GemSource.start
      @source.add("tool", "1.0", files: { "lib/tool.rb" => format(MODULE, name: "Tool") })
      sleep 0.05 # younger files are always compared by content
    end

    def teardown
      @source.stop
      super
    end

    # Builds the application with its compile caches, then moves it. Returns the moved project.
    def build_and_move(bundle)
      built = project("built", bundle)
      built.lock
      write("built/app/thing.rb", format(MODULE, name: "Thing"))
      write("built/program.rb", PROGRAM)
      built.spate!("install", "--compile-cache", "wait")
      built.spate!("boot", "build", "app")
      assert_equal %w[hit hit], boot(built).last
      File.rename(built.folder, "#{folder}/moved")
      project("moved", bundle)
    end

    def project(name, bundle)
      TestProject.new("#{folder}/#{name}", "source '#{@source.url}'\ngem 'tool'\n",
                      env: { "BUNDLE_PATH" => bundle, "BUNDLE_FROZEN" => nil })
    end

    # Returns [whether Bundler was replayed, outcomes of loading the two files]. Checks all paths.
    def boot(project)
      facts = JSON.parse(project.spate!("exec", "ruby", "program.rb").lines.last)
      thing = project.path("app/thing.rb")
      tool = facts["paths"].last
      assert tool.start_with?("#{File.expand_path(project.env["BUNDLE_PATH"], project.folder)}/"), tool
      assert_equal [thing] * 3 + [tool] * 3, facts["paths"]
      assert_equal project.path("app"), facts["folder"]
      [facts["replay"], facts["recorded"].values_at(tool, thing)]
    end

    # The files that `spate boot build` compiles, and takes from the compile caches of gems.
    def compiled(project)
      JSON.parse(project.spate!("boot", "build", "app", "--json").lines.last).values_at("compiled", "reused")
    end

    def test_bundle_in_the_application
      moved = build_and_move("vendor/bundle")

      assert_match(/\A1 gem in place, nothing to do/, moved.spate!("install", "--compile-cache", "off"))
      assert_equal ["no compile cache yet", %w[miss miss]], boot(moved)
      assert_equal [2, 0], compiled(moved)
      assert_equal [true, %w[hit hit]], boot(moved)
    end

    def test_bundle_outside_of_the_application
      moved = build_and_move("#{folder}/shared")

      assert_match(/\A1 gem in place, nothing to do/, moved.spate!("install", "--compile-cache", "off"))
      assert_equal ["no compile cache yet", %w[miss miss]], boot(moved)
      assert_equal [1, 1], compiled(moved)
      assert_equal [true, %w[hit hit]], boot(moved)
    end
  end
end
