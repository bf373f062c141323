# frozen_string_literal: true

require "resolve/resolve_case"

# Gemfiles with gems of git repositories, folders, gemspecs and several sources: Bundler and Spate write the same bytes.
class ResolveSourcesTest < ResolveCase
  SKIP = "--skip-install"
  # Words for Bundler and for Spate.
  CHANGES = [[%w[lock], %w[lock]],
             [%w[lock --update], ["update", "--all", SKIP]],
             [%w[lock --update base], ["update", "base", SKIP]],
             [%w[lock --update local], ["update", "local", SKIP]],
             [[["add", "more", SKIP], %w[lock]], ["add", "more", SKIP]],
             [%w[lock --add-platform arm64-darwin java], %w[lock --add-platform arm64-darwin java]],
             [%w[lock --add-checksums], %w[lock --add-checksums]]].freeze

  def setup
    super
    %w[1.0 1.1 2.0].each { |version| source.add("base", version) }
    %w[1.0 1.1].each { |version| source.add("more", version, dependencies: { "base" => ">= 1" }) }
    %w[ruby x86_64-linux arm64-darwin java].each { |platform| source.add("leaf", "1.0", platform: platform) }
    @other = GemSource.start
    @other.add("inner", "1.0", dependencies: { "base" => "< 2", "deep" => ">= 0" })
    @other.add("deep", "0.5")
    source.add("deep", "9.0")
  end

  def teardown
    @other&.stop
    super
  end

  def gemspec(name, version, needs = {})
    <<~RUBY
      Gem::Specification.new do |spec|
        spec.name, spec.version, spec.summary, spec.authors = #{name.dump}, #{version.dump}, "a gem", ["me"]
        #{needs.map { |need, requirement| "spec.add_dependency #{need.dump}, #{requirement.dump}\n" }.join("  ")}
      end
    RUBY
  end

  # A git repository with a gem in its root and one below gems/. Returns its path.
  def repository
    @repository ||= File.join(folder, "repository").tap do |path|
      FileUtils.mkdir_p("#{path}/gems/second")
      File.write("#{path}/first.gemspec", gemspec("first", "0.1", "base" => ">= 1"))
      File.write("#{path}/gems/second/second.gemspec", gemspec("second", "0.2", "first" => ">= 0", "leaf" => ">= 0"))
      git(path, "init", "-q", "-b", "main")
      commit(path)
      git(path, "tag", "v1")
      git(path, "branch", "stable")
      File.write("#{path}/first.gemspec", gemspec("first", "0.3", "base" => ">= 1", "more" => ">= 0"))
      commit(path)
    end
  end

  def git(path, *words) = system("git", "-C", path, *words, exception: true)

  def commit(path)
    git(path, "add", "-A")
    git(path, "-c", "user.name=t", "-c", "user.email=t@example.test", "commit", "-qm", "change")
  end

  LOCAL = "vendor/local/local.gemspec"

  # `lock` and two others, or all with --full.
  def some(changes)
    return changes if ENV["SPATE_TEST_FULL"]

    @random ||= Random.new(Spate.test_seed)
    [changes.first, *changes.drop(1).sample(2, random: @random)]
  end

  # Runs changes, each on the result of the first `lock`.
  def compare(gemfile, removal, files: {}, changes: CHANGES)
    files = { LOCAL => gemspec("local", "1.0", "base" => ">= 1") }.merge(files)
    lock = locked(gemfile, files: files)
    changes = changes.reject { |theirs, _| theirs.include?("local") } unless gemfile.match?(/gem .local\b/)
    some(changes).each do |theirs, ours|
      assert_same(ours, bundler: theirs, gemfile: gemfile, lock: (lock unless ours == %w[lock]), files: files)
    end
    assert_same(["remove", removal, SKIP], bundler: [["remove", removal], %w[lock]], gemfile: gemfile, lock: lock,
                                           files: files)
  end

  def test_git
    variants = ["", ", branch: 'stable'", ", tag: 'v1'",
                ", ref: '#{`git -C #{repository} rev-parse HEAD~1`.strip}'",
                ", glob: 'gems/*/*.gemspec'"]
    (ENV["SPATE_TEST_FULL"] ? variants : variants.sample(1, random: Random.new(Spate.test_seed))).each do |options|
      name = options.include?("glob") ? "second" : "first"
      first = "gem 'first', git: '#{repository}'\n" if name == "second"
      compare(<<~RUBY, name, changes: options.empty? ? CHANGES : CHANGES.first(3))
        source '#{source.url}'
        #{first}gem '#{name}', git: '#{repository}'#{options}
        gem 'base'
      RUBY
    end
  end

  def test_git_with_submodules_and_a_block
    compare(<<~RUBY, "leaf")
      source '#{source.url}'
      git '#{repository}', submodules: true, glob: '{*.gemspec,gems/*/*.gemspec}' do
        gem 'first'
        gem 'second', require: false
      end
      gem 'leaf'
    RUBY
  end

  # Bundler updates a git source that has new commits.
  def test_a_git_repository_with_a_new_commit
    gemfile = "source '#{source.url}'\ngem 'first', git: '#{repository}'\ngem 'base', '1.0'\n"
    lock = locked(gemfile)
    File.write("#{repository}/first.gemspec", gemspec("first", "0.4", "leaf" => ">= 0"))
    commit(repository)
    [[%w[lock], %w[lock]], [%w[lock --update first], ["update", "first", SKIP]],
     [%w[update --source first], ["update", "--source", "first", SKIP]],
     [%w[lock --update base], ["update", "base", SKIP]]].each do |theirs, ours|
      assert_same(ours, bundler: theirs, gemfile: gemfile, lock: lock)
    end
  end

  def test_path
    compare(<<~RUBY, "base", files: { "engines/part/part.gemspec" => gemspec("part", "2.1", "local" => "~> 1.0") })
      source '#{source.url}'
      gem 'local', path: 'vendor/local'
      path 'engines' do
        gem 'part'
      end
      gem 'base', '< 2'
    RUBY
  end

  def test_gemspec
    text = gemspec("mine", "1.0", "base" => "~> 1.0", "leaf" => ">= 0")
    files = { "mine.gemspec" => text.sub("end\n", "  spec.add_development_dependency 'more'\nend\n") }
    compare("source '#{source.url}'\ngemspec\ngem 'local', path: 'vendor/local'\n", "local", files: files)
    compare("source '#{source.url}'\ngemspec development_group: :dev\ngem 'base'\n", "base",
            files: files, changes: CHANGES.first(3))
  end

  def test_a_gemspec_whose_version_changed
    gemfile = "source '#{source.url}'\ngemspec\n"
    old = { "mine.gemspec" => gemspec("mine", "1.0", "base" => "~> 1.0") }
    lock = locked(gemfile, files: old)
    files = { "mine.gemspec" => gemspec("mine", "1.1", "base" => "~> 2.0") }
    [[%w[lock], %w[lock]], [%w[lock --update], ["update", "--all", SKIP]]].each do |theirs, ours|
      assert_same(ours, bundler: theirs, gemfile: gemfile, lock: lock, files: files)
    end
  end

  def test_ruby_groups_platforms_and_conditions
    compare(<<~RUBY, "leaf")
      # frozen_string_literal: true
      source "#{source.url}"
      ruby ">= 2.5"

      gem "base", ">= 1", "!= 1.1" # a comment
      group :test, :development, optional: true do
        gem "leaf", require: false
      end
      platforms(:jruby) { gem "local", path: "vendor/local" }
      install_if(-> { true }) { gem "deep", "9.0" } if RUBY_VERSION > "2"
    RUBY
    compare(<<~RUBY, "base", files: { ".ruby-version" => RUBY_VERSION }, changes: CHANGES.values_at(0, 1, 5))
      source "#{source.url}"
      ruby file: ".ruby-version"
      gem "leaf", force_ruby_platform: true
      gem "base", platforms: %i[windows jruby]
    RUBY
  end

  def test_several_sources
    compare(<<~RUBY, "inner")
      source '#{source.url}'
      gem 'base'
      source('#{@other.url}') { gem 'inner' }
      gem 'leaf'
    RUBY
    compare("source '#{source.url}'\ngem 'base'\ngem 'inner', source: '#{@other.url}'\n", "base",
            changes: CHANGES.first(5))
  end

  def test_everything_at_once_with_checksums
    gemfile = <<~RUBY
      source '#{source.url}'
      gem 'first', git: '#{repository}', branch: 'stable'
      gem 'local', path: 'vendor/local', group: :test
      source('#{@other.url}') { gem 'inner' }
      gem 'leaf', platforms: :ruby
      gem 'more'
    RUBY
    files = { LOCAL => gemspec("local", "1.0", "base" => ">= 1") }
    app = project("sums", gemfile, files: files)
    app.bundle("lock", "--add-checksums", "--add-platform", "arm64-darwin")
    lock = File.read(app.path("Gemfile.lock"))
    assert_match(/^CHECKSUMS$/, lock)
    some(CHANGES).each { |theirs, ours| assert_same(ours, bundler: theirs, gemfile: gemfile, lock: lock, files: files) }
    assert_same(["remove", "more", SKIP], bundler: [%w[remove more], %w[lock]], gemfile: gemfile, lock: lock,
                                          files: files)
  end
end
