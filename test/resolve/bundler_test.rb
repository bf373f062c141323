# frozen_string_literal: true

require "resolve/resolve_case"

# The commands that change a lockfile must write the same files as those of Bundler.
class ResolveBundlerTest < ResolveCase
  SKIP = "--skip-install"

  def setup
    super
    %w[1.0 1.1 1.1.1 1.2 2.0 2.1.pre].each { |version| source.add("base", version) }
    source.add("tool", "1.0", dependencies: { "base" => "< 2", "leaf" => ">= 0" })
    source.add("tool", "1.1", dependencies: { "base" => ["~> 1.1", "!= 1.2"], "leaf" => ">= 0" })
    source.add("tool", "2.0", dependencies: { "base" => "> 3" })
    %w[ruby x86_64-linux x86_64-linux-musl aarch64-linux arm64-darwin java].each do |platform|
      source.add("leaf", "1.0", platform: platform)
      source.add("leaf", "1.1", platform: platform) unless platform == "java"
    end
    source.add("future", "1.0")
    source.add("future", "2.0", ruby: ">= 9.0")
    source.add("selfish", "1.0", dependencies: { "selfish" => "> 1" })
    source.add("selfish", "0.9", dependencies: { "base" => "1.0" })
    @gemfile = "source '#{source.url}'\ngem 'tool'\n"
  end

  def old_lock
    lock = locked("source '#{source.url}'\ngem 'tool', '1.0'\ngem 'base', '1.0'\n")
    lock.sub(/^  tool \(= .*/, "  tool").sub(/^  base \(=.*\n/, "")
  end

  def test_lock_without_a_lockfile
    ["gem 'tool'\n", "gem 'tool'\ngem 'future'\n", "gem 'tool'\ngem 'selfish'\n", "gem 'base', '>= 2.1.a'\n",
     "gem 'base', '> 2.0'\n",
     "gem 'leaf', force_ruby_platform: true\ngem 'tool', platforms: :jruby\n",
     "ruby '>= 2.0'\ngroup(:test) { gem 'base' }\n"].each do |lines|
      @gemfile = "source '#{source.url}'\n#{lines}"
      assert_same(%w[lock])
    end
  end

  def test_lock_after_an_edit
    lock = old_lock
    assert_same(%w[lock], lock: lock)
    @gemfile += "gem 'future'\n"
    assert_same(%w[lock], lock: lock)
    @gemfile = "source '#{source.url}'\ngem 'future'\n"
    assert_same(%w[lock], lock: lock)
  end

  def test_updates
    lock = old_lock
    [%w[--all], %w[tool], %w[base], %w[tool --conservative], %w[--all --patch], %w[--all --minor --strict],
     %w[--all --pre], %w[leaf --major]].each do |options|
      assert_same(["update", *options, SKIP],
                  bundler: ["lock", "--update", *(options - %w[--all])], lock: lock)
    end
  end

  def test_updates_by_group_and_source
    @gemfile = "source '#{source.url}'\ngem 'base', group: :test\ngem 'tool'\n"
    lock = locked("source '#{source.url}'\ngem 'base', '1.0', group: :test\ngem 'tool', '1.0'\n")
    lock = lock.gsub(/^  (base|tool) \(= .*/, '  \1')
    assert_same(%w[update --group test --skip-install], bundler: %w[update --group test], lock: lock)
  end

  def test_add_and_remove
    @gemfile = "source \"#{source.url}\"\n\ngem \"tool\" # the tool\n\ngroup :test do\n  gem \"leaf\"\nend\n"
    lock = locked(@gemfile)
    output = assert_same(["add", "future", SKIP], bundler: [%w[add future]], lock: lock)
    refute_match(/platform specific/, output)
    [["base", "--version", "~> 1.0", "--group", "test, development"], %w[leaf --optimistic],
     %w[future --strict --require false]].each do |words|
      assert_same(["add", *words, SKIP], bundler: [["add", *words, SKIP], %w[lock]], lock: lock)
    end
    assert_same(["remove", "leaf", SKIP], bundler: [%w[remove leaf], %w[lock]], lock: lock)
  end

  # Bundler requires `= 1.1` here, which is another version.
  def test_add_strict_requires_the_version_that_is_found
    source.add("part", "1.1")
    source.add("part", "1.1.1")
    app = project("app", @gemfile)
    app.spate!("add", "part", "--strict", SKIP)
    assert_equal "gem \"part\", \"= 1.1.1\"\n", File.readlines(app.path("Gemfile")).last
    assert_match(/^    part \(1\.1\.1\)\n.*^  part \(= 1\.1\.1\)$/m, File.read(app.path("Gemfile.lock")))
  end

  # Bundler's methods differ in the version that Ruby contains.
  def test_ruby_s_own_bundler
    env = { "GEM_PATH" => nil }
    @gemfile = "source '#{source.url}'\ngem 'base', group: :test\n"
    lock = locked(@gemfile, env: env).sub("(2.0)", "(1.0)")
    assert_same(%w[add future --skip-install], bundler: [%w[add future]], lock: lock, env: env)
    assert_same(%w[update --group test --skip-install], bundler: %w[lock --update base], lock: lock, env: env)
  end

  def test_platforms_and_checksums
    lock = locked(@gemfile)
    [%w[--add-platform java], %w[--add-platform arm64-darwin x86_64-linux-musl], %w[--add-checksums],
     %w[--remove-platform x86_64-linux --add-platform ruby], %w[--normalize-platforms]].each do |options|
      assert_same(["lock", *options], lock: lock)
    end
  end

  def test_checksums
    lock = "#{locked("source '#{source.url}'\ngem 'tool', '1.0'\n")}\nCHECKSUMS\n  tool (1.0)\n"
    assert_same(%w[lock], lock: lock)
    assert_same(%w[lock --update tool], lock: lock)
    assert_same(%w[lock --add-platform java], lock: lock)
  end
end
