# frozen_string_literal: true

require "resolve/resolve_case"

# Indexes that lie or break, gems with the same name in two sources, interruptions, and several changes at once.
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

  def test_files_are_whole_after_kill
    app = project("app", @gemfile)
    app.lock
    before = contents(app)
    source.add("base", "1.1")
    app.spate!("update", "--all", "--skip-install")
    after = contents(app)
    5.times do |number|
      File.write(app.path("Gemfile.lock"), before["Gemfile.lock"])
      kill_after(app, 0.2 + (number * 0.15), "update", "--all", "--skip-install")
      assert_includes [before, after], contents(app)
    end
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

  private

  # In a process group of its own, with all its children.
  def kill_after(app, seconds, *words)
    pid = Process.spawn(app.env, *Spate::SpateCommand.words, *words, chdir: app.folder, pgroup: true,
                                                                     %i[out err] => File::NULL)
    watcher = Process.detach(pid)
    watcher.join(seconds)
    Process.kill(:KILL, -pid)
    watcher.join
  rescue Errno::ESRCH
    nil # it has ended
  end
end
