# frozen_string_literal: true

require "cli/cli_case"
require "json"
require "support/project"

# Files that must not be loaded if nothing is to be done or everything is in the store. Counts files, not time.
class HotPathTest < CLICase
  HEAVY = %r{
    /(rubygems|bundler|openssl|psych|yaml|json|set|fileutils|pathname|tempfile|tmpdir|digest|open3|uri|time|optparse|
    date|securerandom|shellwords|forwardable|delegate|socket)(/|\.rb$|\.so$)|/net/http
  }x
  # The limit of files that a command loads. Loading one takes about a tenth of a millisecond.
  FILES = 110
  # The limit for a project with only packages.
  PACKAGES = 60

  def setup
    @source = GemSource.start
    @source.add("tool", "1.0", dependencies: { "base" => ">= 1" })
    @source.add("base", "1.2")
    @source.add("native", "0.3", native: true)
  end

  def teardown
    @source.stop
    super
  end

  def app(name)
    gemfile = "source '#{@source.url}'\ngem 'tool'\ngem 'native'\n"
    Spate::TestProject.new(File.join(folder, name), gemfile).tap { |project| lock(project) }
  end

  # A project with an empty package lockfile.
  def packages
    project = Spate::TestProject.new(File.join(folder, "packages"), "")
    File.unlink(project.path("Gemfile"))
    File.write(project.path("package.json"), '{"name":"a","version":"1.0.0"}')
    File.write(project.path("package-lock.json"), '{"name":"a","version":"1.0.0","lockfileVersion":3,"packages":' \
                                                  '{"":{"name":"a","version":"1.0.0"}}}')
    project
  end

  # Adds checksums as Bundler 2.6 and later do. A gem without one would be queried again.
  def lock(project)
    project.lock
    sums = @source.catalog.entries.map { |entry| "  #{entry.name} (#{entry.version}) sha256=#{entry.sha256}\n" }
    path = project.path("Gemfile.lock")
    File.write(path, File.read(path).sub("BUNDLED WITH") { "CHECKSUMS\n#{sums.join}\n#{_1}" })
  end

  def features(project, *argv)
    script = write("features.rb", <<~RUBY)
      before = $LOADED_FEATURES.dup
      require "spate"
      status = Spate::CLI.start(ARGV, out: $stderr, err: $stderr, env: ENV)
      puts $LOADED_FEATURES - before
      exit status
    RUBY
    lib = File.expand_path("../../lib", __dir__)
    out, err, status = Open3.capture3(project.env, "ruby", "--disable-gems", "-I#{lib}", script, *argv,
                                      chdir: project.folder)
    assert_predicate status, :success?, err
    out.lines(chomp: true)
  end

  def assert_light(features)
    assert_empty(features.grep(HEAVY).reject { |path| path.include?("/lib/spate/") })
    own = features.grep(%r{/lib/spate})
    assert_operator own.length, :<=, FILES, own.join("\n")
  end

  def test_garbage_collection_is_off_until_there_is_something_to_do
    script = write("collects.rb", "require 'spate'\nSpate::CLI.start(ARGV, env: ENV)\nprint GC.enable\n")
    app = app("app")
    off = Array.new(3) do
      out, = Open3.capture2(app.env, "ruby", "--disable-gems", "-I#{File.expand_path("../../lib", __dir__)}", script,
                            "install", "--quiet", chdir: app.folder)
      out
    end
    assert_equal %w[false true true], off
  end

  def test_version
    assert_light features(app("app"), "version")
  end

  def test_install_with_nothing_to_do
    app = app("app")
    2.times { app.spate!("install") }
    loaded = features(app, "install")
    assert_empty loaded.grep(%r{/install/(?:link|extensions|unpack)/|/git_step|/boot/}), "unused steps"

    assert_light loaded
    assert_empty loaded.grep(%r{/spate/(registry|cli/(help|failure|progress|doctor|list|store|edit|setup))})
    assert_empty loaded.grep(%r{/settings/config_file}), "there is none to read"
    assert_empty loaded.grep(%r{/spate/(?:cli/)?js[/.]|packages}), "a run without --js loaded code for node_modules"
  end

  # In addition to the extension and util, this loads the command, the project and the record.
  def test_packages_in_place
    project = packages
    2.times { project.spate!("js") }
    loaded = features(project, "js")

    assert_light loaded
    assert_operator loaded.grep(%r{/lib/spate}).length, :<=, PACKAGES, loaded.join("\n")
    assert_empty loaded.grep(%r{/spate/(js/(npm|pnpm|registry|scripts|tools|configuration)|install/|settings)|timeline})
  end

  # The stored plan includes the lockfile and the settings.
  def test_packages_in_the_store
    project = Spate::TestProject.new(File.join(folder, "pnpm"), "")
    linked = { two: { specifier: "link:../two", version: "link:../two" } }
    importers = { ".": {}, one: { dependencies: linked }, two: {} }
    { "package.json" => '{"packageManager":"pnpm@10.34.9"}', "two/package.json" => '{"name":"two"}',
      "one/package.json" => '{"name":"one","dependencies":{"two":"link:../two"}}',
      "pnpm-workspace.yaml" => "packages: [one, two]\nallowBuilds: { esbuild: true }\n",
      "pnpm-lock.yaml" => JSON.generate({ lockfileVersion: "9.0", settings: {}, importers: importers }) }
      .each { |path, text| write("pnpm/#{path}", text) }
    2.times { project.spate!("js") }
    FileUtils.rm_rf([project.path("one/node_modules"), project.path("node_modules")])
    assert_empty features(project, "js").grep(%r{psych|pnpm/(yaml|lockfile)})
  end

  def test_everything_in_the_store
    app("one").tap { |app| 2.times { app.spate!("install") } }
    second = app("two")
    second.spate!("install")
    FileUtils.rm_rf(second.path("vendor"))

    loaded = features(second, "install")
    assert_empty(loaded.grep(HEAVY).reject { |path| path.include?("/lib/spate/") })
    assert_empty loaded.grep(%r{/build/(?:run/|cache/recorder)}), "what only a build needs"
    assert_match(/satisfied/, second.bundle("check"))
  end

  def test_everything_in_the_store_and_nothing_native
    app = Spate::TestProject.new(File.join(folder, "plain"), "source '#{@source.url}'\ngem 'tool'\n")
    lock(app)
    3.times { app.spate!("install") }
    FileUtils.rm_rf(app.path("vendor"))

    assert_empty features(app, "install").grep(%r{/spate/build/}).grep_v(/schedule/)
  end
end
