# frozen_string_literal: true

require_relative "locked_case"

# Packages are in place already. Their scripts run, run again after a change, or have their results removed when they
# are no longer allowed.
class JSScriptsAgainTest < Minitest::Test
  include JSLockedCase

  ADDON = { "node_modules/addon" => ["addon", "1.0.0"] }.freeze
  ALLOWED = { allowScripts: { addon: true } }.freeze

  def test_edits_before_a_script_runs_are_not_stored
    add_addon("cat source > built")
    lock(ADDON, **ALLOWED)
    restore(ignore_scripts: true)
    edit("node_modules/addon/source", "edited")

    assert_equal [1, "honest"], [restore.built, read("node_modules/addon/built")]
    another("b")
    lock(ADDON, **ALLOWED)
    restore

    assert_equal "honest", read("node_modules/addon/built")
  end

  def test_a_build_with_files_that_another_script_edited_is_not_stored
    @registry.add("first", "1.0.0", scripts: { install: "echo edited > ../addon/source" })
    add_addon("cat source > built", dependencies: { "first" => "1.0.0" })
    lock({ **ADDON, "node_modules/first" => ["first", "1.0.0"] }, allowScripts: { addon: true, first: true })
    write("package-lock.json", File.read("#{@root}/package-lock.json").sub('"node_modules/addon":{',
                                                                           '\0"dependencies":{"first":"1.0.0"},'))
    restore

    assert_equal "edited", read("node_modules/addon/built")
    another("b")
    lock(ADDON, **ALLOWED)
    restore

    assert_equal "honest", read("node_modules/addon/built")
  end

  def test_another_node
    write("#{@base}/bin/node", "#!/bin/sh\necho v20.0.0\n", mode: 0o755)
    @env["PATH"] = "#{@base}/bin:#{@env["PATH"]}"
    add_addon("node --version > built")
    lock(ADDON, **ALLOWED)
    restore
    write("#{@base}/bin/node", "#!/bin/sh\necho v22.0.0\n")
    restore

    assert_equal "v22.0.0", read("node_modules/addon/built")
    assert_equal [0, 0], restore.then { |report| [report.built, report.build_reused] }
  end

  def test_another_version_of_a_dependency_of_a_build
    %w[1.0.0 2.0.0].each { |version| @registry.add("headers", version, files: { "version" => version }) }
    add_addon("cat ../headers/version > built", dependencies: { "headers" => "*" })
    built = %w[1.0.0 2.0.0].map do |version|
      lock({ **ADDON, "node_modules/headers" => ["headers", version] }, **ALLOWED)
      restore
      read("node_modules/addon/built")
    end

    assert_equal %w[1.0.0 2.0.0], built
  end

  # The script writes outside of its folder, so its result is not stored.
  def test_another_version_of_a_dependency_of_a_script_that_writes_outside
    %w[1.0.0 2.0.0].each { |version| @registry.add("headers", version, files: { "version" => version }) }
    add_addon("cat ../headers/version > built; echo x >> #{@base}/outside", dependencies: { "headers" => "*" })
    built = %w[1.0.0 2.0.0].map do |version|
      lock({ **ADDON, "node_modules/headers" => ["headers", version] }, **ALLOWED)
      restore
      read("node_modules/addon/built")
    end

    assert_equal %w[1.0.0 2.0.0], built
  end

  def test_an_input_that_changes_while_a_script_runs
    add_addon("cat ../../flavour > built; [ $(cat built) = two ] || { echo > read; until [ -e go ]; do :; done; }")
    write("flavour", "one")
    lock(ADDON, **ALLOWED)
    changer = Thread.new do
      Thread.pass until File.size?("#{@root}/node_modules/addon/read")
      write("flavour", "two")
      write("node_modules/addon/go")
    end
    restore
    changer.join

    assert_equal "one", read("node_modules/addon/built")
    lock(ADDON, **ALLOWED, version: "1.0.1")
    restore

    assert_equal "two", read("node_modules/addon/built")
  end

  # The first script's stored result is copied in the same tick of the file system's clock in which the other script
  # starts.
  def test_an_input_that_was_put_into_place_just_before
    @registry.add("headers", "1.0.0", scripts: { install: "echo x > version" })
    packages = { **ADDON, "node_modules/addon/node_modules/headers" => %w[headers 1.0.0] }
    counts = Array.new(8) do |i|
      add_addon("cat node_modules/headers/version > built; : #{i}", dependencies: { "headers" => "*" })
      %w[first second].map do |name|
        another("#{name}#{i}")
        lock(packages, allowScripts: { addon: true, headers: true })
        restore.then { |report| [report.built, report.build_reused] }
      end
    end

    assert_equal [[[2, 0], [0, 2]], *[[[1, 1], [0, 2]]] * 7], counts
  end

  def test_unchanged_packages_stay_in_place
    @registry.add("two", "1.0.0")
    add_addon("echo x > built")
    lock(ADDON, **ALLOWED)
    restore
    before = File.stat("#{@root}/node_modules/addon/package.json").ino
    lock({ **ADDON, "node_modules/two" => ["two", "1.0.0"] }, **ALLOWED)

    assert_equal [0, 0], restore.then { |report| [report.built, report.build_reused] }
    assert_equal before, File.stat("#{@root}/node_modules/addon/package.json").ino
  end

  def test_packages_whose_scripts_are_not_allowed_any_more
    add_addon("echo x > built; echo more >> source")
    lock(ADDON, **ALLOWED)
    restore
    lock(ADDON, allowScripts: { addon: false })
    restore

    assert_equal %w[package.json source], Dir.children("#{@root}/node_modules/addon").sort
    assert_equal "honest", read("node_modules/addon/source")
  end

  def test_packages_and_executables_in_one_that_is_built_again_stay
    @registry.add("inner", "1.0.0", files: { "x" => "" }, bin: { "inner" => "x" })
    add_addon("cat ../../flavour > built", dependencies: { "inner" => "1.0.0" })
    write("flavour", "one")
    lock({ **ADDON, "node_modules/addon/node_modules/inner" => ["inner", "1.0.0"] }, **ALLOWED)
    before = [restore, names].last
    write("flavour", "two")
    lock({ **ADDON, "node_modules/addon/node_modules/inner" => ["inner", "1.0.0"] }, **ALLOWED, version: "1.0.1")
    restore

    assert_equal ["two", before], [read("node_modules/addon/built"), names]
    assert_empty JS.check(root: @root, store: @store, env: @env).differences
  end

  private

  def add_addon(script, **more)
    @registry.add("addon", "1.0.0", files: { "source" => "honest\n" }, scripts: { install: script }, **more)
  end

  # Replaces the file, as an editor does.
  def edit(path, text)
    write("#{path}.new", "#{text}\n")
    File.rename("#{@root}/#{path}.new", "#{@root}/#{path}")
  end

  def names = Dir.glob("node_modules/**/*", File::FNM_DOTMATCH, base: @root).sort
end
