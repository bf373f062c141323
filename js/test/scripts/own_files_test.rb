# frozen_string_literal: true

require_relative "locked_case"

# Scripts of the project may write into its packages, as patch-package does. Other projects are not affected.
class JSScriptsOwnFilesTest < Minitest::Test
  include JSLockedCase

  LIB = { "node_modules/lib" => ["lib", "1.0.0"] }.freeze
  PATCH = "cat patch > node_modules/lib/index.js; echo x > node_modules/lib/new"

  def setup
    super
    @registry.add("lib", "1.0.0", files: { "index.js" => "original\n" })
  end

  def test_scripts_write_only_into_this_project
    project("other") { restore }
    project("app", patch: "patched") { restore }

    assert_equal %w[patched original], %w[app other].map { |name| content(name) }
    project("third") { restore }

    assert_equal "original", content("third")
  end

  # Files that scripts do not write to remain links.
  def test_only_written_files_are_copied
    project("app", patch: "patched") { restore }
    links = %w[index.js package.json].map { |name| File.stat("#{@root}/node_modules/lib/#{name}").nlink }

    assert_equal [1, 2], links
    assert_empty Spate::Store::Verify.new(@store).call.damaged
  end

  def test_a_script_of_a_package_writes_into_another_in_this_project_alone
    project("other") { restore }
    @registry.add("writer", "1.0.0", scripts: { postinstall: "echo more >> ../lib/index.js" })
    @root = "#{@base}/app"
    lock({ **LIB, "node_modules/writer" => ["writer", "1.0.0"] }, allowScripts: { writer: true })
    restore

    assert_equal %W[original\nmore original], %w[app other].map { |name| content(name) }
    assert_empty Spate::Store::Verify.new(@store).call.damaged
  end

  def test_files_that_scripts_made_are_removed_with_them
    project("app", patch: "patched") { restore }
    lock(LIB)
    restore

    assert_equal [%w[index.js package.json], "original"],
                 [Dir.children("#{@root}/node_modules/lib").sort, content("app")]
    assert_predicate restore, :noop?
  end

  def test_scripts_run_each_time_on_the_original_files
    project("app", patch: "first") { 2.times { restore } }
    write("patch", "second\n")

    refute_predicate restore, :noop?
    assert_equal "second", content("app")
    manifest(dependencies: { lib: "1.0.0" })
    lock(LIB)
    restore

    assert_equal %w[index.js package.json], Dir.children("#{@root}/node_modules/lib").sort
    assert_equal "original", content("app")
    assert_predicate restore, :noop?
  end

  def test_files_linked_before_are_not_copied
    project("other") { restore }
    project("app") { restore }

    assert_operator links("app"), :>, 1
    project("app", patch: "patched") { restore }

    assert_equal [1, "original"], [links("app"), content("other")]
    restore(ignore_scripts: true)

    assert_equal [true, "original"], [links("app") > 1, content("app")]
    assert_predicate restore(ignore_scripts: true), :noop?
  end

  def test_workspace_members_have_own_files
    project("other") { restore }
    @root = "#{@base}/app"
    scripts = { prepare: "cat patch > ../../node_modules/lib/index.js" }
    write("packages/a/package.json", JSON.generate(name: "a", version: "1.0.0", scripts: scripts))
    write("packages/a/patch", "patched\n")
    lock(LIB, workspaces: ["packages/*"])
    entries = JSON.parse(File.read("#{@root}/package-lock.json"))
    entries["packages"].update("node_modules/a" => { "resolved" => "packages/a", "link" => true },
                               "packages/a" => { "name" => "a", "version" => "1.0.0" })
    write("package-lock.json", JSON.generate(entries))
    restore

    assert_equal %w[patched original], %w[app other].map { |name| content(name) }
  end

  private

  def project(name, patch: nil)
    @root = "#{@base}/#{name}"
    write("patch", "#{patch}\n") if patch
    lock(LIB, **(patch ? { scripts: { postinstall: PATCH } } : {}))
    yield
  end

  def content(name) = File.read("#{@base}/#{name}/node_modules/lib/index.js").chomp
  def links(name) = File.stat("#{@base}/#{name}/node_modules/lib/index.js").nlink
end
