# frozen_string_literal: true

require "install/install_case"
require "support/addressing_rubygems"

# Content-addressed gems: a RubyGems and a Bundler that support them, and a source that has some.
class ContentAddressCase < InstallCase
  LOCAL = Spate::Platform.local.to_s.delete_suffix("-gnu")
  ABI = RUBY_VERSION[/\A\d+\.\d+/]
  OTHER = "99.9"

  def setup
    missing = AddressingRubygems.missing and skip missing
    super
    @source.add("plain", "1.0", executables: %w[plain])
  end

  def teardown
    super if @source
  end

  # Adds a gem to the catalog, and returns its entry. abi: nil for an ordinary gem.
  def add(name, abi: ABI, says: abi, platform: LOCAL, **recipe, &change)
    files = { "lib/#{name}.rb" => "#{name.upcase} = #{says.inspect}\n" }.merge(recipe.delete(:files) || {})
    @source.add(name, "1.0", platform: platform, abi: abi, files: files, **recipe, &change)
  end

  # name: of the application's folder. lockfile: of another application; by default the real Bundler creates one.
  # Without MachineFacts, because the environment has a different RubyGems.
  def application(name, *gems, lockfile: nil, home: "home-#{name}", env: AddressingRubygems.environment)
    gemfile = "source '#{@source.url}'\n#{gems.map { |gem| "gem '#{gem}'\n" }.join}"
    app = Spate::TestProject.new(File.join(folder, name), gemfile, home: File.join(folder, home), env: env,
                                                                   facts: false)
    lockfile ? File.write(app.path("Gemfile.lock"), lockfile) : app.bundle("lock", "--add-checksums")
    app
  end

  def lockfile(app) = File.read(app.path("Gemfile.lock"))

  def tree(app) = Spate::TreeComparison.snapshot(app.path("vendor/bundle"))

  # Installs an application with Bundler and with Spate. Bundles and lockfiles must be equal, unless Bundler has
  # rewritten the lockfile. Returns [Bundler's application, Spate's].
  def assert_same(*gems, lockfile: nil, written: false, options: [], env: AddressingRubygems.environment, **more)
    theirs = application("bundler", *gems, lockfile: lockfile, env: env)
    mine = application("spate", *gems, lockfile: lockfile(theirs), env: env)
    yield theirs, mine if block_given?
    theirs.bundle("install", *options, **more)
    mine.spate!("install", *options, **more)

    refute_empty tree(theirs)
    assert_empty Spate::TreeComparison.differences(tree(theirs), tree(mine))
    assert_equal lockfile(theirs), lockfile(mine) unless written
    [theirs, mine]
  end
end
