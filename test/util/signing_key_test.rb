# frozen_string_literal: true

require "install/build_case"
require "support/npm_tools"

# The key signs in this machine's name, so processes that Spate starts must not receive it.
class SigningKeyTest < InstallBuildCase
  KEY = "-----BEGIN PRIVATE KEY-----secret"
  # The keys that a process can see: in its own environment, and in those of its parents up to this test.
  LOOK = <<~'RUBY'
    seen = [ENV["SPATE_CACHE_KEY"]]
    pid = Process.pid
    until [0, 1, TESTS].include?(pid)
      seen << File.binread("/proc/#{pid}/environ")[/SPATE_CACHE_KEY=[^\0]+/]
      pid = File.read("/proc/#{pid}/stat").rpartition(")").last.split[1].to_i
    end
    File.write("SEEN", seen.compact.join)
  RUBY

  def look = LOOK.sub("TESTS", Process.pid.to_s).sub("SEEN", "#{folder}/seen")
  def seen = File.read("#{folder}/seen").tap { File.unlink("#{folder}/seen") }

  def test_a_build_by_spate_and_one_by_bundler
    native("alpha", extconf: look)
    install(app("one", gems: %w[alpha]), SPATE_CACHE_KEY: KEY)
    assert_empty seen
    _, status = run_install(app("two", gems: %w[alpha], BUNDLE_TRUST___POLICY: "LowSecurity"), SPATE_CACHE_KEY: KEY)
    assert_equal [0, ""], [status.exitstatus, seen]
  end

  def test_a_gemfile_a_program_and_a_command_of_bundlers
    project = app(gems: [])
    File.write(project.path("Gemfile"), look, mode: "a")
    run_install(project, SPATE_CACHE_KEY: KEY)
    assert_empty seen
    project.spate!("exec", "ruby", "-e", look, SPATE_CACHE_KEY: KEY)
    assert_empty seen
    project.spate!("show", SPATE_CACHE_KEY: KEY)
    assert_empty seen
  end

  def test_a_script_of_a_package
    skip "no npm on the PATH" unless NpmTools.path("npm")
    project = app(gems: [])
    File.write("#{folder}/look.rb", look)
    File.write(project.path("package.json"), JSON.generate(name: "app", version: "1.0.0",
                                                           scripts: { postinstall: "ruby #{folder}/look.rb" }))
    root = { name: "app", version: "1.0.0" }
    File.write(project.path("package-lock.json"), JSON.generate(**root, lockfileVersion: 3, packages: { "": root }))
    project.spate!("js", SPATE_CACHE_KEY: KEY)
    assert_empty seen
  end

  def test_sender_still_receives_the_key
    key = Spate::Util::SigningKey
    assert_equal KEY, key.of({ "SPATE_CACHE_KEY" => KEY })
    assert_nil key.of({ "SPATE_CACHE_KEY" => "" })
    assert_nil key.of({})
  end
end
