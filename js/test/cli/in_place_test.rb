# frozen_string_literal: true

require "cli/in_place_case"
require "json"
require "support/npm_registry"

# The native front end runs `spate js` without starting Ruby if nothing is to be done. See test/cli/in_place_test.rb.
class JSInPlaceTest < InPlaceCase
  WORDS = %w[js].freeze

  def setup
    super
    @registry = NpmRegistry.start
    @registry.add("one", "1.0.0", files: { "index.js" => "1\n", "lib/more.js" => "2\n" }, bin: "index.js")
    @dir = File.join(folder, "app")
    FileUtils.mkdir_p(@dir)
    write("package.json", JSON.generate(name: "app", version: "1.0.0", dependencies: { "one" => "1.0.0" }))
    _, err, status = run_program("npm", "install", "--package-lock-only", "--no-audit", "--no-fund")
    assert_equal 0, status, err
    _, err, status = run_program(ruby, *WORDS)
    assert_equal 0, status, err
  end

  def teardown
    @registry&.stop
    super
  end

  def dir = @dir || folder
  def home = File.join(folder, "home")

  def environment
    return super unless @dir

    super.merge(NpmRegistry.env(@registry, home: folder), INSTALLED, "SPATE_HOME" => home)
  end

  def write(name, text) = File.write(File.join(@dir, name), text)
  def module_file(name) = File.join(@dir, "node_modules", name)

  def test_no_ruby_for_a_restore_with_nothing_to_do
    [%w[js], %w[js --json], %w[js install --quiet]].each do |words|
      learn(*words)
      assert_answered(*words)
    end
    write("notes.txt", "x") # not an input
    refute answered?(*WORDS, env: { "npm_config_omit" => "dev" })
  end

  CHANGES = {
    "package.json" => ->(t) { t.write("package.json", JSON.generate(name: "other")) },
    "the lockfile" => ->(t) { File.unlink(File.join(t.dir, "package-lock.json")) },
    "settings" => ->(t) { t.write(".npmrc", "omit=dev\n") },
    "another lockfile" => ->(t) { t.write("pnpm-lock.yaml", "") },
    "a package's own file" => ->(t) { File.write(t.module_file("one/package.json"), "{}") },
    "a package is removed" => ->(t) { FileUtils.rm_r(t.module_file("one")) },
    "a package appears" => ->(t) { Dir.mkdir(t.module_file("two")) },
    "a program of a package" => ->(t) { File.unlink(t.module_file(".bin/one")) },
    "the state of npm" => ->(t) { File.write(t.module_file(".package-lock.json"), "{}") }
  }.freeze

  def test_each_change_starts_ruby
    copy = "#{folder}/copy"
    CHANGES.each do |name, change|
      FileUtils.rm_rf(copy)
      run_program(ruby, *WORDS)
      learn(*WORDS)
      assert answered?(*WORDS), "before #{name}"
      FileUtils.cp_r(@dir, copy, preserve: true)
      change.call(self)
      refute answered?(*WORDS), name
      FileUtils.rm_r(@dir)
      File.rename(copy, @dir)
    end
  end
end
