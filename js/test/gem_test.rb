# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "rubygems"

# `spate js` without the gem spate-js, with it in the same GEM_HOME as spate, and with it in another one.
class JSGemTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)

  def setup
    install("spate")
    write("app/package.json", "{}\n")
    write("app/package-lock.json", JSON.generate(lockfileVersion: 3, packages: { "" => {} }))
    write("app/Gemfile", "")
    write("app/Gemfile.lock", "GEM\n  specs:\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n\nBUNDLED WITH\n   2.3.7\n")
  end

  def test_without_the_gem
    ["js", "install --js"].each do |command|
      said, status = spate(*command.split)

      assert_equal 14, status.exitstatus, said
      assert_match(/^error: restoring node_modules needs the gem spate-js, which is not installed/, said)
      assert_match(/^hint: gem install spate-js$/, said)
    end
    assert_match(/odd .*the gem spate-js, which is not installed/, spate("doctor").first)
    assert_match(/^ +--omit TYPES/, spate("js", "--help").first)
    assert_match(/^the bundle is complete/, spate("check").first)
  end

  def test_gem_in_the_same_and_in_another_folder
    [home, "#{folder}/others"].each do |place|
      install("spate-js", place)
      said, status = spate("js", "GEM_PATH" => "#{home}:#{place}")

      assert_predicate status, :success?, said
      assert_match(/\A0 packages/, said)
      FileUtils.rm_rf(Dir["#{place}/{gems,specifications}/spate-js*"])
    end
  end

  private

  def home = "#{folder}/gems"

  # Installs a gem from this checkout. Copies the compiled files instead of compiling.
  def install(name, place = home)
    specification = Dir.chdir(ROOT) { Gem::Specification.load("#{name}.gemspec") }
    root = "#{place}/gems/#{specification.full_name}"
    [*specification.files, *Dir.glob("lib/spate/native/*.so", base: name == "spate" ? ROOT : "")].each do |path|
      FileUtils.mkdir_p(File.dirname("#{root}/#{path}"))
      FileUtils.cp("#{ROOT}/#{path}", "#{root}/#{path}")
    end
    specification.extensions.clear
    FileUtils.mkdir_p("#{place}/specifications")
    File.write("#{place}/specifications/#{specification.full_name}.gemspec", specification.to_ruby)
  end

  def spate(*words, **env)
    variables = { "GEM_HOME" => home, "GEM_PATH" => home, "HOME" => folder, "SPATE_HOME" => "#{folder}/spate",
                  "RUBYOPT" => nil, "RUBYLIB" => nil, **env.transform_keys(&:to_s) }
    program = "#{home}/gems/spate-#{Spate::VERSION}/exe/spate"
    Open3.capture2e(variables, RbConfig.ruby, "--disable-gems", program, *words, chdir: "#{folder}/app", stdin_data: "")
  end
end
