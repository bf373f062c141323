# frozen_string_literal: true

require "resolve/resolve_case"
require "time"

# Versions younger than the cooldown in the setting, an option or the Gemfile are not chosen. Bundler supports this
# since 4.0.13.
class ResolveCooldownTest < ResolveCase
  DAY = 86_400

  def setup
    super
    add("base", "1.0", 100)
    add("base", "1.1", 10)
    add("base", "1.2", 1)
    add("tool", "1.0", 100, dependencies: { "base" => ">= 1.1" })
    source.add("undated", "1.0")
    source.add("undated", "1.1")
    @gemfile = "source '#{source.url}'\ngem 'tool'\ngem 'undated'\n"
  end

  def add(name, version, days, **facts)
    source.add(name, version, **facts).created_at = (Time.now - (days * DAY)).utc.iso8601
  end

  def test_versions_of_the_last_days_are_left_out
    needs_cooldown
    { nil => "1.2", "0" => "1.2", "5" => "1.1" }.each do |days, version|
      assert_same(%w[lock], env: { "BUNDLE_COOLDOWN" => days })
      assert_locked("base", version, @gemfile, BUNDLE_COOLDOWN: days)
    end
    @gemfile = @gemfile.sub("'\n", "', cooldown: 5\n")
    assert_same(%w[lock])
    assert_locked("base", "1.1", @gemfile)
    assert_locked("base", "1.2", @gemfile, BUNDLE_COOLDOWN: "0")
  end

  def test_updates_and_additions
    needs_cooldown
    lock = locked(@gemfile, env: { "BUNDLE_COOLDOWN" => "5" })
    assert_match(/^    base \(1.1\)$/, lock)
    [%w[update --all --skip-install --cooldown 5], %w[update base --cooldown=5 --skip-install]].each do |words|
      theirs = ["update", *(words.drop(1) - %w[--skip-install])]
      output = assert_same(words, bundler: theirs, lock: lock)
      assert_match(/skipped by the cooldown.*\n  \* base 1.2 \(available in 4 days\), resolved 1.1 instead$/, output)
    end
    [[], %w[--strict]].each do |more|
      theirs = ["add", "base", "--cooldown", "5", *more]
      assert_same([*theirs, "--skip-install"], bundler: theirs, lock: lock)
    end
    assert_same(["update", "--all", "--skip-install"], bundler: %w[update --all], lock: lock)
  end

  # The cooldown also applies to installed gems, with the dates of the index.
  def test_installed_gems
    needs_cooldown
    source.add("tool", "1.1", dependencies: { "base" => ">= 1.2" }).created_at = (Time.now - DAY).utc.iso8601
    results = %w[bundle spate].map do |side|
      app = project(side, @gemfile)
      app.bundle("install")
      File.delete(app.path("Gemfile.lock"))
      app.public_send(side == "spate" ? :spate! : :bundle, "lock", BUNDLE_COOLDOWN: "5")
      contents(app)
    end
    assert_equal(*results)
    assert_match(/^    base \(1.1\)$/, results.first["Gemfile.lock"])
  end

  def test_a_requirement_that_only_young_versions_satisfy
    needs_cooldown
    app = project("app", "source '#{source.url}'\ngem 'base', '>= 1.2'\n")
    output, status = app.spate("lock", BUNDLE_COOLDOWN: "5")
    assert_equal 5, status.exitstatus, output
    assert_match(/excluded by the cooldown setting/, output)
    app.spate!("lock")
  end

  def test_outdated_asks_bundler
    needs_cooldown
    app = project("app", @gemfile)
    app.bundle("lock", BUNDLE_COOLDOWN: "5")
    app.bundle("install")
    expected = app.run("bundle", "outdated", BUNDLE_COOLDOWN: "5").first.lines.grep(/base/)
    output, = app.spate("outdated", BUNDLE_COOLDOWN: "5")
    assert_match(/^running Bundler for the cooldown: bundle outdated$/, output)
    assert_equal expected, output.lines.grep(/base  /)
  end

  def test_an_older_bundler_ignores_it
    skip "this Bundler has cooldowns" if cooldown?
    app = project("app", @gemfile)
    warning = /^warning: Bundler #{NewestBundler.version} ignores the setting `cooldown`; Bundler 4.0.13 and later/
    assert_match warning, app.spate!("lock", BUNDLE_COOLDOWN: "5")
    assert_match warning, app.spate!("update", "base", "--skip-install", BUNDLE_COOLDOWN: "5")

    File.write(app.path("Gemfile"), @gemfile.sub("'\n", "', cooldown: 5\n"))
    assert_match(/^warning: .* ignores `cooldown:` of the Gemfile's sources; /, app.spate!("lock"))
    File.write(app.path("Gemfile"), "#{File.read(app.path("Gemfile"))}gem 'base'\n")
    assert_match(/warning: .* ignores `cooldown:` of the Gemfile's sources; /, app.spate!("install"))

    output, status = app.spate("update", "--cooldown", "5")
    assert_equal 2, status.exitstatus, output
    assert_match(/--cooldown.*\nhint: spate help update/, output)
  end

  private

  def cooldown? = Gem::Version.new(NewestBundler.version) >= Gem::Version.new("4.0.13")
  def needs_cooldown = cooldown? || skip("Bundler #{NewestBundler.version} has no cooldowns")

  def assert_locked(name, version, gemfile, **env)
    app = project("one#{@count = @count.to_i + 1}", gemfile)
    app.spate!("lock", **env)
    assert_match(/^    #{name} \(#{version}\)$/, File.read(app.path("Gemfile.lock")))
  end
end
