# frozen_string_literal: true

require "test_helper"
require "support/newest_bundler"
require "support/project"

# Spate must read config files that were written by hand as the Bundlers of this machine do, or report why it cannot.
class ConfigFileTest < Minitest::Test
  COMMENTED = { "BUNDLE_PATH: v # why\n" => "path", "BUNDLE_PATH: \"v # why\"\n" => "path",
                "BUNDLE_JOBS: \"3\" # why\n" => "jobs", "# why\nBUNDLE_PATH: v\n" => "path",
                "BUNDLE_PATH: \"#v\"\n" => "path", "BUNDLE_BUILD__X: \"--a=#b\"\n" => "build.x" }.freeze

  def test_value_with_a_comment
    bundlers.each do |version, environment|
      COMMENTED.each do |text, name|
        app = configured(text)
        script = "require 'bundler'; print Bundler.settings[#{name.dump}].inspect"
        theirs = app.run!("ruby", "-e", script, **environment)
        mine = Spate::Settings.load(root: app.folder, env: app.env.merge(ENV.to_h.slice("PATH"), environment).compact)

        assert_equal theirs, mine[name].inspect, "#{text} with Bundler #{version}"
      end
    end
  end

  def test_bundle_folder_equals_that_of_bundler
    source = GemSource.start
    source.add("base", "1.0")
    bundlers.each_value do |environment|
      app = configured("BUNDLE_PATH: v # why\n", "source '#{source.url}'\ngem 'base'\n", environment)
      app.lock
      app.spate!("install")

      assert_match(/satisfied/, app.bundle("check"))
    end
  ensure
    source&.stop
  end

  # With such a file, every command of Bundler fails with a NoMethodError.
  def test_groups_as_a_list
    app = configured("BUNDLE_WITHOUT:\n- \"test\"\n- \"docs\"\n", "")
    _, status = app.run("bundle", "install")
    output, mine = app.spate("install")

    assert_equal [1, 12], [status.exitstatus, mine.exitstatus]
    assert_match(/`without` is a YAML list/, output)
    File.write(app.path(".bundle/config"), output[/BUNDLE_WITHOUT: .*/])
    app.bundle("install")
    app.spate!("install")
  end

  private

  # { name => environment } of this machine's Bundler and, if it differs, the newest that runs here.
  def bundlers
    { "of the machine" => {}, "newest" => NewestBundler.environment }.uniq { |_, environment| environment }.to_h
  end

  def configured(text, gemfile = "", environment = {})
    env = { "BUNDLE_PATH" => nil, "BUNDLE_VERSION" => "system" }.merge(environment)
    Spate::TestProject.new(File.join(folder, "app#{@number = @number.to_i + 1}"), gemfile, env: env).tap do |app|
      FileUtils.mkdir_p(app.path(".bundle"))
      File.write(app.path(".bundle/config"), "---\n#{text}")
    end
  end
end
