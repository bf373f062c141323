# frozen_string_literal: true

require "resolve/resolve_case"

# Invalid and incomplete indexes are errors, a private gem never comes from another source, and concurrent commands
# leave a valid lockfile.
class HostileResolveTest < ResolveCase
  def setup
    super
    source.add("base", "1.0")
    @gemfile = "source '#{source.url}'\ngem 'base'\n"
  end

  def teardown
    @private&.stop
    super
  end

  def test_a_private_gem_never_comes_from_the_public_source
    @private = GemSource.start
    @private.add("secret", "1.0", dependencies: { "helper" => ">= 0" })
    @private.add("helper", "1.0")
    source.add("helper", "99.0")
    @gemfile = "source '#{source.url}'\ngem 'base'\nsource('#{@private.url}') { gem 'secret' }\n"
    lock = locked(@gemfile)

    refute_match(/helper \(99/, lock)
    assert_same(%w[lock])
    assert_same(%w[lock --update], lock: lock)
  end

  def test_credentials_of_the_gemfile_and_of_the_settings
    @private = GemSource.start(userinfo: "me:secret")
    @private.add("secret", "1.0")
    app = project("app", "source '#{@private.url(userinfo: "me:secret")}'\ngem 'secret'\n")
    app.spate!("lock")
    refute_match(/me:secret/, contents(app)["Gemfile.lock"])

    app = project("other", "source '#{@private.url}'\ngem 'secret'\n")
    output, status = app.spate("lock", BUNDLE_RETRY: "0")
    assert_equal 6, status.exitstatus, output
    refute_path_exists app.path("Gemfile.lock")
    app.spate!("lock", BUNDLE_LOCALHOST: "me:secret")
    assert_match(/secret \(1.0\)/, contents(app)["Gemfile.lock"])
  end

  def test_cycles_are_refused_as_by_bundler
    source.add("ring", "1.0", dependencies: { "gnir" => ">= 1" })
    source.add("gnir", "1.0", dependencies: { "ring" => ">= 1" })
    output, status = project("app", "#{@gemfile}gem 'ring'\n").spate("lock")
    refute_predicate status, :success?
    assert_match(/depend on each other/, output)
  end

  def test_names_are_never_paths
    app = project("app", @gemfile)
    app.lock
    source.add("base", "2.0", dependencies: { "../../escape" => ">= 0" })
    app.spate!("update", "--all", "--skip-install")

    assert_empty Dir.glob("#{folder}/**/*escape*")
    assert_match(/^    base \(1.0\)$/, File.read(app.path("Gemfile.lock")))
  end

  def test_broken_pages_are_an_error_and_are_not_kept
    app = project("app", @gemfile)
    { truncate: {}, html: {}, garble: { body: "1.0 |checksum:1" }, status: { code: 500 } }.each do |kind, facts|
      source.fault(%r{/info/base}, kind, **facts)
      output, status = app.spate("lock", BUNDLE_RETRY: "0")
      refute_predicate status, :success?, "#{kind}: #{output}"
      refute_path_exists app.path("Gemfile.lock")
      source.clear_faults
    end
    app.spate!("lock")
  end

  def test_a_yanked_version_is_not_chosen_again
    source.add("base", "1.1")
    app = project("app", @gemfile)
    app.spate!("lock")
    source.yank("base-1.1")
    File.delete(app.path("Gemfile.lock"))
    app.spate!("lock")
    assert_match(/^    base \(1.0\)$/, File.read(app.path("Gemfile.lock")))
  end

  def test_kept_index_is_used_without_a_network
    app = project("app", @gemfile)
    app.spate!("lock")
    source.add("base", "1.1")
    app.spate!("update", "--all", "--skip-install")
    File.delete(app.path("Gemfile.lock"))
    source.stop
    output = app.spate!("lock", BUNDLE_RETRY: "0")
    assert_match(/warning: .* cannot be reached.*kept/i, output)
    assert_match(/^    base \(1.1\)$/, File.read(app.path("Gemfile.lock")))
  end

  def test_two_changes_at_once
    %w[left right].each { |name| source.add(name, "1.0") }
    app = project("app", @gemfile)
    app.lock
    results = %w[left right].map { |name| Thread.new { app.spate("add", name, "--skip-install") } }.map(&:value)

    results.each { |output, status| assert_predicate status, :success?, output }
    assert_equal %w[base left right], Spate::Lockfile.parse(contents(app)["Gemfile.lock"]).specs.map(&:name).sort
    assert_equal 3, File.read(app.path("Gemfile")).scan(/^gem /).size
  end

  # The index lists more versions than any real gem has. The newest is in the middle.
  def test_a_gem_with_many_versions
    count = ENV["SPATE_TEST_FULL"] ? 100_000 : 10_000
    app = with_versions(count)
    app.spate!("lock")
    assert_match(/^    huge \(1\.#{count - 1}\)$/, File.read(app.path("Gemfile.lock")))
  end

  def test_a_gem_with_too_many_versions
    count = ENV["SPATE_TEST_FULL"] ? 1_000_000 : 100_001
    output, status = with_versions(count).spate("lock")
    assert_equal 6, status.exitstatus, output
    assert_match(/the index lists more than 100000 versions of huge\nhint: remove huge/, output)
  end

  def test_an_index_that_shrinks
    %w[1.1 1.2].each { |version| source.add("base", version) }
    apps = %w[bundler spate].map { |side| project(side, @gemfile) }
    apps.each(&:lock)
    apps.last.spate!("update", "--all", "--skip-install")
    before = contents(apps.last)
    source.catalog.list(source.catalog.entry("base-1.1"))

    refute_predicate apps.first.run("bundle", "lock", "--update", "base").last, :success?
    output, status = apps.last.spate("update", "base", "--skip-install")
    assert_equal 5, status.exitstatus, output
    assert_match(/the lockfile has base 1.2, and an update never .*\n  versions of base: 1.1$/, output)
    assert_equal before, contents(apps.last)

    File.delete(apps.last.path("Gemfile.lock"))
    apps.last.spate!("lock")
    assert_match(/^    base \(1.1\)$/, contents(apps.last)["Gemfile.lock"])
  end

  # /versions names other checksums than the pages have: pages are requested again, and never kept as current.
  def test_an_index_whose_checksums_are_wrong
    app = project("app", @gemfile)
    app.spate!("lock")
    source.fault("/versions", :garble, body: "created_at: 2020-01-02T00:00:00Z\n---\nbase 1.0 #{"0" * 32}\n")
    source.add("base", "1.1")
    2.times do
      app.spate!("update", "--all", "--skip-install")
      assert_match(/^    base \(1.1\)$/, File.read(app.path("Gemfile.lock")))
    end
  end

  # A version without an archive is an error of the install, which removes no gem from the bundle.
  def test_a_version_that_only_the_index_has
    app = project("app", @gemfile)
    app.spate!("install")
    entry = source.catalog.entry("base-1.0").dup
    entry.version = "9.0"
    source.catalog.list(*source.catalog.entries, entry)
    output, status = app.spate("update", "--all")
    assert_includes [6, 8, 14], status.exitstatus, output
    assert_equal %w[base-1.0], app.installed
  end

  def test_public_gem_with_the_name_of_a_private_one
    @private = GemSource.start
    @private.add("secret", "1.0")
    source.add("secret", "99.0")
    @gemfile = "source '#{source.url}'\ngem 'base'\nsource('#{@private.url}') { gem 'secret' }\n"
    refute_match(/secret \(99/, locked(@gemfile))
    lock = locked(@gemfile)
    [%w[lock], %w[lock --update], %w[lock --update secret]].each { |words| assert_same(words, lock: lock) }
    @private.yank("secret-1.0")
    output, status = project("app", @gemfile, lock: lock).spate("update", "secret", "--skip-install")
    assert_equal 5, status.exitstatus, output
  end

  def test_gemfile_names_are_never_paths
    ["../escape", "a/../../escape", "/etc/passwd", "..", "a\nb"].each_with_index do |name, number|
      app = project("app#{number}", "#{@gemfile}gem #{name.dump}\n")
      output, status = app.spate("lock")
      refute_predicate status, :success?, output
      refute_path_exists app.path("Gemfile.lock")
    end
    assert_empty Dir.glob("#{folder}/**/*escape*")
    assert_empty source.requests.map(&:path).grep(/escape|passwd/)
  end

  def test_different_commands_at_once
    %w[left right].each { |name| source.add(name, "1.0") }
    app = project("app", "#{@gemfile}gem 'left'\n")
    app.lock
    source.add("base", "1.1")
    commands = [%w[update base --skip-install], %w[remove left --skip-install], %w[add right --skip-install], %w[lock]]
    results = commands.map { |words| Thread.new { app.spate(*words) } }.map(&:value)

    results.each { |output, status| assert_predicate status, :success?, output }
    assert_equal ["base 1.1", "right 1.0"], versions(app)
    assert_equal %w[Gemfile Gemfile.lock], Dir.children(app.folder).sort
  end

  private

  # A project that needs a gem with this number of versions.
  def with_versions(count)
    numbers = (0...count).map { |number| (number + (count / 2)) % count }
    source.fault("/info/huge", :garble, body: "---\n#{numbers.map { |number| "1.#{number} base:>= 0|\n" }.join}")
    project("app", "#{@gemfile}gem 'huge'\n")
  end

  def versions(app)
    Spate::Lockfile.parse(contents(app)["Gemfile.lock"]).specs.map { |spec| "#{spec.name} #{spec.version}" }.sort
  end
end
