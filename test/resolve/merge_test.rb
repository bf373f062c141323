# frozen_string_literal: true

require "resolve/resolve_case"

# `spate lock --merge`, as a merge driver of git, merges two changes of a lockfile or reports why they contradict each
# other.
class MergeTest < ResolveCase
  def setup
    super
    %w[1.0 1.1 1.2].each { |version| source.add("base", version) }
    source.add("left", "1.0", dependencies: { "base" => ">= 1.1" })
    source.add("right", "1.0", dependencies: { "base" => ">= 1.0" })
    source.add("strict", "1.0", dependencies: { "base" => "1.0" })
    @app = project("app", gemfile(*base))
    @app.lock
    pin("base", "1.0")
    git("init", "-q", "-b", "main")
    { "user.name" => "t", "user.email" => "t@example.test" }.each { |key, value| git("config", key, value) }
    git("config", "merge.gemfile-lock.driver", "#{Spate::SpateCommand.words.join(" ")} lock --merge %O %A %B")
    File.write(@app.path(".gitattributes"), "Gemfile.lock merge=gemfile-lock\n")
    commit("start")
  end

  def test_both_sides_add_a_gem
    branches([*base, "gem 'left'"], ["gem 'right'", *base])
    output = git("merge", "other")

    assert_equal %w[base left right], names
    assert_equal gemfile("gem 'right'", *base, "gem 'left'"), File.read(@app.path("Gemfile")), output
    assert_match(/^    base \(1\.[12]\)$/, lockfile)
    assert_frozen
    assert_equal %w[. .. .git .gitattributes Gemfile Gemfile.lock], (Dir.entries(@app.folder) - ["vendor"]).sort
  end

  def test_an_update_and_a_removal
    branches(base, [*base, "gem 'right'"]) { @app.bundle("lock", "--update", "base") }
    git("merge", "other")
    assert_match(/^    base \(1\.2\)$/, lockfile)
    assert_equal %w[base right], names
    assert_frozen
  end

  def test_versions_that_contradict_each_other
    branches([*base, "gem 'left'"], ["gem 'strict'", *base])
    output, status = @app.run("git", "merge", "other")

    refute_predicate status, :success?
    assert_match(/Gemfile.lock/, git("diff", "--name-only", "--diff-filter=U"))
    assert_match(/left/, output)
    assert_match(/strict/, output)
  end

  def test_conflicts_in_the_gemfile
    branches(["gem 'base', '~> 1.0'"], ["gem 'base', '!= 1.1'"])
    output, status = @app.run("git", "merge", "other")

    refute_predicate status, :success?
    assert_match(/^error: Gemfile has conflicts.*^  gem 'base', '~> 1.0'.*^hint: .*spate lock/m, output)
  end

  def test_wrong_files
    output, status = @app.spate("lock", "--merge", "Gemfile.lock")
    assert_equal 2, status.exitstatus
    assert_match(/takes three files/, output)
  end

  private

  def base = ["gem 'base'", "# Lines between", "# the changes."]
  def gemfile(*lines) = "source '#{source.url}'\n\n#{lines.join("\n")}\n"
  def lockfile = File.read(@app.path("Gemfile.lock"))
  def names = Spate::Lockfile.parse(lockfile).specs.map(&:name).uniq

  def git(*words) = @app.run!("git", *words)

  def commit(message)
    git("add", "-A")
    git("commit", "-qm", message)
  end

  def pin(name, version)
    File.write(@app.path("Gemfile.lock"), lockfile.gsub(/^    #{name} \(.*\)$/, "    #{name} (#{version})"))
  end

  # Creates two branches with different changes to the lockfile.
  def branches(ours, theirs)
    git("checkout", "-qb", "other")
    change(theirs)
    commit("theirs")
    git("checkout", "-q", "main")
    change(ours)
    yield if block_given?
    commit("ours")
  end

  def change(lines)
    File.write(@app.path("Gemfile"), gemfile(*lines))
    @app.lock
  end

  def assert_frozen
    before = lockfile
    output, status = @app.run("bundle", "install", BUNDLE_FROZEN: "true")
    assert_predicate status, :success?, output
    assert_equal before, lockfile
  end
end
