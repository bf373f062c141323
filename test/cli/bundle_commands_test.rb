# frozen_string_literal: true

require "cli/cli_case"
require "support/project"
require "json"

# The output and exit codes of install, check, list, edit, store and doctor, with a bundle from a local gem source.
class BundleCommandsTest < CLICase
  def setup
    @source = GemSource.start
    @source.add("tool", "1.0", dependencies: { "base" => ">= 1" })
    @source.add("base", "1.2", files: { "lib/base.rb" => "BASE = 1\n" })
  end

  def teardown
    @source.stop
    super
  end

  def app(**options)
    @app ||= Spate::TestProject.new(File.join(folder, "app"), "source '#{@source.url}'\ngem 'tool'\n", **options)
                               .tap(&:lock)
  end

  def near_gemspec
    "Gem::Specification.new('near', '1.0') { |s| s.summary = s.authors = 'x'; s.files = [] }\n"
  end

  def lines(text) = text.lines.grep(/\A\{/).map { |line| JSON.parse(line) }
  def base_file = File.join(app.bundle_root, "gems/base-1.2/lib/base.rb")

  def test_install_prints_a_summary
    assert_match(/\A2 gems in \d.* s: 2 from the network \(.* kB\)\n\z/, app.spate!("install"))
    assert_match(/\A2 gems in place, nothing to do \(0\.\d\d s\)\n\z/, app.spate!("install"))
    assert_empty app.spate!("install", "--quiet")
  end

  def test_install_as_json
    events = lines(app.spate!("install", "--json"))

    kinds = events.map { |event| event["event"] }
    done = events.last

    assert_equal 2, kinds.count("fetch_done")
    assert_equal 1, kinds.count("plan")
    assert_equal ["done", 2, 2, false], done.values_at("event", "total", "fetched", "noop")
  end

  def test_options_that_are_settings_are_saved_for_bundler
    output = app.spate!("install", "--path", "elsewhere", "--without", "test", BUNDLE_PATH: nil)

    assert_match(%r{^remembered in \.bundle/config: path elsewhere$}, output)
    assert_path_exists app.path("elsewhere", Spate::Layout.ruby_scope, "gems/base-1.2")
    assert_match(/satisfied/, app.bundle("check", BUNDLE_PATH: nil))
    refute_match(/remembered/, app.spate!("install", "--path", "elsewhere", "--without", "test", BUNDLE_PATH: nil))
  end

  def test_settings_that_cannot_be_saved_are_reported
    File.write(app.path(".bundle"), "no folder\n")
    output, = app.spate("install", "--path", "elsewhere", BUNDLE_PATH: nil)

    refute_match(/^remembered/, output)
    assert_match(%r{^warning: not remembered in \.bundle/config: path elsewhere\nhint: .*BUNDLE_PATH=elsewhere}, output)
  end

  def test_standalone_install_is_left_to_bundler
    output = app.spate!("install", "--standalone")

    assert_match(/^running Bundler for --standalone/, output)
    assert_path_exists app.path("vendor/bundle/bundler/setup.rb")
  end

  def test_check_by_exit_code
    output, status = app.spate("check")
    assert_equal 11, status.exitstatus
    assert_equal "error: 2 gems of the bundle missing\n  base-1.2\n  tool-1.0\nhint: spate install\n", output

    app.spate!("install")
    assert_equal "the bundle is complete: 2 gems\n", app.spate!("check")

    File.write(app.path("Gemfile"), "gem 'other'\n", mode: "a")
    output, status = app.spate("check")
    assert_equal 4, status.exitstatus
    assert_match(/\Aerror: Gemfile and lockfile disagree: .*other/, output)
  end

  def test_commands_that_need_a_lockfile_name_it
    File.delete(app.path("Gemfile.lock"))
    %w[check list].each do |command|
      assert_equal "error: there is no lockfile\nhint: spate install, which has Bundler resolve first\n",
                   app.spate(command).first
    end
    assert_match(/\Aerror: .*Gemfile\.lock does not exist\nhint: create it: spate install$/,
                 app.spate("edit", "base").first)
    assert_match(/\Anothing is stored for .*\nhint: `spate install`/, app.spate("explain", "gemfile").first)
    refute_match(/NameError/, app.spate("boot", "build").first)
  end

  def test_a_changed_file_is_named_by_check_install_and_doctor
    app.spate!("install")
    File.write(base_file, "BASE = 2\n", mode: "r+")
    output = app.spate!("check")

    assert_includes output, "warning: base-1.2: lib/base.rb was changed in place\n" \
                            "hint: `spate install` keeps it in this bundle only, " \
                            "`spate restore base` restores the package's file\n"
    assert_equal "BASE = 2\n", File.read(base_file)
    assert_match(%r{base-1\.2: lib/base\.rb was}, app.spate!("install"))
    assert_match(%r{odd +base-1\.2: lib/base\.rb was}, app.spate("doctor").first)
    assert_match(/\A(  odd .*\n( +hint: .*\n)?)+\z/, app.spate("doctor", "-q").first)
  end

  def test_list
    app.spate!("install")

    assert_match(/\Abase  1\.2  linked  \d+ B +#{@source.url}\ntool  1\.0  linked /, app.spate!("list"))
    rows = lines(app.spate!("list", "tool", "--json"))
    assert_equal [%w[gem tool 1.0 ruby linked]], rows.map { |row|
                                                   row.values_at("event", "name", "version", "platform", "state")
                                                 }
    assert_match(/"elephant"\nhint: `spate list` shows/, app.spate("list", "elephant").first)
    output, status = app.spate("list", "bsae")
    assert_equal 14, status.exitstatus
    assert_match(/did you mean base\?/, output)
  end

  def test_edit_gives_the_project_its_own_files
    app.spate!("install")
    assert_operator File.stat(base_file).nlink, :>, 1

    assert_match(%r{you can edit them\n.*/gems/base-1\.2\n\z}, app.spate!("edit", "base"))
    assert_equal 1, File.stat(base_file).nlink
    File.write(base_file, "BASE = 3\n")
    refute_match(/warning/, app.spate!("check"))
    refute_match(/warning/, app.spate!("install"))
    assert_equal "BASE = 3\n", File.read(base_file)
    assert_match(/did you mean base\?/, app.spate("edit", "bsae").first)
  end

  def test_edit_list_without_a_record_in_the_store
    assert_equal "no gem is being edited\n", app.spate!("edit", "--list"), "nothing is installed"
    app.spate!("install")
    app.spate!("edit", "base")
    assert_match(/^base-1\.2  no file changed  /, app.spate!("edit", "--list"))

    output, status = app.spate("edit", "--list", SPATE_HOME: File.join(folder, "another"))
    assert_equal 9, status.exitstatus, output
    assert_match(%r{^error: the store .*/another/store/v1 has no record of .*/vendor/bundle/.*unknown\nhint: }, output)
    refute_path_exists File.join(folder, "another")
  end

  def test_edit_prints_the_folders_of_path_and_git_gems
    repository = GemSource::Repository.new(File.join(folder, "repo"))
    repository.commit(GemSource::Repository.gem_files("twin", "1.0"))
    write("app/near/near.gemspec", near_gemspec)
    File.write(File.join(app.folder, "Gemfile"), "gem 'near', path: 'near'\ngem 'twin', git: '#{repository.url}'\n")
    app.lock
    app.spate!("install")

    assert_equal "near-1.0 is in its own folder: you can edit it\n#{app.path("near")}\n", app.spate!("edit", "near")
    told = %r{\Atwin-1\.0 is in a git checkout of this bundle: you can edit it .*\n/.*/bundler/gems/repo-\h{12}\n\z}
    assert_match(told, app.spate!("edit", "twin"))
  end

  def test_the_store
    app.spate!("install")

    assert_equal "#{app.home}/spate/store/v1\n", app.spate!("store", "path")
    assert_match(/^gems +2 .*^1 project:\n +#{app.folder}  2 gems/m, app.spate!("store", "status"))
    assert_match(/2 packages, 0 builds, 2 archives: no damage/, app.spate!("store", "verify"))
    assert_equal "nothing to remove\n", app.spate!("store", "prune")
    FileUtils.rm_rf(app.folder)
    output = app.spate!("store", "prune", "--older-than", "0", "--dry-run", chdir: folder)
    assert_match(/\Awould remove 1 project record, 2 packages, /, output)
  end

  def test_two_bundles_of_a_project_are_distinguished
    app.spate!("install")
    app.spate!("install", BUNDLE_PATH: File.join(folder, "other"))

    told = app.spate!("store", "status")
    assert_match(/^2 projects:\n( +#{app.folder}  2 gems, installed [-\d]+, in #{folder}.*\n){2}\z/, told)
    assert_includes told, ", in #{folder}/other/ruby/"
  end

  def test_damaged_store_is_repaired
    app.spate!("install")
    object = Dir["#{app.home}/spate/store/v1/objects/*/*"].find { |path| File.read(path) == "BASE = 1\n" }
    File.unlink(object)
    File.write(object, "BASE = 6\n")

    assert_match(/was changed: repaired$.*1 damaged, 1 repaired/m, app.spate!("store", "verify"))
    assert_equal "BASE = 1\n", File.read(object)
  end

  def test_doctor_ignores_a_removed_gem_that_the_bundle_does_not_need
    app.spate!("install")
    File.write(app.path("Gemfile"), "source '#{@source.url}'\ngem 'base'\n")
    app.lock
    %w[gems/tool-1.0 specifications/tool-1.0.gemspec].each { |path| FileUtils.rm_r(File.join(app.bundle_root, path)) }
    [app.spate!("doctor"), app.spate!("install") && app.spate!("doctor")].each do |output|
      refute_match(/hint: spate install$/, output)
      assert_match(/ok +the store's record/, output)
    end
  end

  def test_reporting_commands_create_no_store
    app(facts: false)
    %w[doctor check version].each { |command| app.spate(command) }
    assert_equal [], Dir.glob("**/*", base: "#{app.home}/spate")
    app.spate!("install")
    assert_includes Dir.children(app.store.root), "checks"
  end

  def test_doctor
    app.spate!("install")
    findings = lines(app.spate!("doctor", "--json"))

    assert_equal %w[machine store disk bundle javascript boot], findings.filter_map { |finding| finding["area"] }.uniq
    assert_equal "diagnosed", findings.last["event"]
    FileUtils.rm_rf(File.join(app.bundle_root, "gems/base-1.2"))
    output, status = app.spate("doctor")
    assert_equal 11, status.exitstatus
    assert_match(/broken +base-1\.2: its folder is missing\n +hint: spate install/, output)
  end
end
