# frozen_string_literal: true

require "test_helper"
require "support/project"

# Settings of Bundler that change how a bundle is installed.
class InstallSettingsTest < Minitest::Test
  def setup
    @source = GemSource.start
    @source.add("base", "1.2")
    # Newer Bundlers add checksums to the lockfile by default.
    @app = Spate::TestProject.new(File.join(folder, "app"), "source '#{@source.url}'\ngem 'base'\n",
                                  env: { "BUNDLE_LOCKFILE_CHECKSUMS" => "false" }).tap(&:lock)
  end

  def teardown
    @source.stop
    super
  end

  def test_wrong_sum_in_the_index_is_trusted_unless_disabled
    @source.fault(%r{/info/base}, :garble, body: "---\n1.2 |checksum:#{"0" * 64}\n")
    output, status = @app.spate("install")

    assert_equal 7, status.exitstatus, output
    @app.spate!("install", BUNDLE_DISABLE_CHECKSUM_VALIDATION: "true")

    assert_equal %w[base-1.2], @app.installed
  end

  def test_limits_are_settings
    @source.add("large", "1.0", files: { "data" => "x" * (3 << 20) })
    app = Spate::TestProject.new(File.join(folder, "large"), "source '#{@source.url}'\ngem 'large'\n").tap(&:lock)
    output, status = app.spate("install", BUNDLE_SPATE__MAX_ENTRY: "2")

    assert_equal 8, status.exitstatus, output
    assert_match(/spate\.max_entry/, output)
    app.spate!("install", BUNDLE_SPATE__MAX_ENTRY: "4")

    assert_equal %w[large-1.0], app.installed
  end

  def test_jobs_and_copy
    @app.spate!("install", BUNDLE_JOBS: "1", SPATE_COPY: "1")
    file = File.stat("#{@app.bundle_root}/gems/base-1.2/lib/base.rb")

    assert_equal 1, file.nlink
  end

  def test_clean_removes_what_the_lockfile_does_not_name
    @source.add("gone", "1.0")
    @app.spate!("install")
    other = Spate::TestProject.new(File.join(folder, "other"), "source '#{@source.url}'\ngem 'gone'\n",
                                   env: { "BUNDLE_PATH" => @app.path("vendor/bundle") }).tap(&:lock)
    other.spate!("install")

    assert_equal %w[base-1.2 gone-1.0], @app.installed
    @app.spate!("install", "--clean")
    assert_equal %w[base-1.2], @app.installed
  end

  def test_gems_of_the_system_are_not_cleaned
    system = { BUNDLE_PATH: nil, BUNDLE_PATH__SYSTEM: "true", GEM_HOME: File.join(folder, "gems") }
    @app.spate!("install", **system)
    File.write(@app.path("Gemfile"), "source '#{@source.url}'\n")
    @app.bundle("lock", **system)
    output = @app.spate!("install", BUNDLE_CLEAN: "true", **system)

    assert_match(/^warning: system gems were not cleaned/, output)
    assert_path_exists "#{folder}/gems/gems/base-1.2"
    FileUtils.mkdir_p(@app.path("vendor/cache"))
    File.write(@app.path("Gemfile"), "source '#{@source.url}'\ngem 'more'\n")
    @source.add("more", "1.0")
    @app.bundle("lock", **system)
    assert_match(/^warning: system gems were not cleaned/, @app.spate!("install", "--clean", **system))
  end
end
