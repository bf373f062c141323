# frozen_string_literal: true

require "install/install_case"
require "support/newest_bundler"

# Options of `spate install` for the location and content of the bundle, compared with the same options of Bundler.
class FlagsTest < InstallCase
  def setup
    super
    @source.add("base", "1.0")
    @source.add("web", "1.0")
    @source.add("docs", "1.0")
  end

  def test_deployment
    project = grouped("app", BUNDLE_PATH: nil)
    assert_installs(project, "base-1.0", "web-1.0", options: %w[--deployment])

    assert_equal configured("deployment" => "true"), config(project)
    assert_match(/satisfied/, project.bundle("check"))
    File.write(project.path("Gemfile"), "gem 'other'\n", mode: "a")
    assert_fails(project, 4, "other")
  end

  def test_system
    project = grouped("app", BUNDLE_PATH: nil, GEM_HOME: File.join(folder, "gems"))
    output, status = run_install(project, "--system")

    assert_predicate status, :success?, output
    assert_equal configured("path.system" => "true"), config(project)
    assert_equal %w[base-1.0 web-1.0], children("#{folder}/gems/gems")
    assert_match(/satisfied/, project.bundle("check"))
  end

  # The options in the table of docs/settings.md that are saved for the next run.
  OPTIONS = %w[--path elsewhere --without web --clean --frozen --jobs 3 --retry 2].freeze

  def test_saved_options_and_options_for_one_run
    each_bundler do |name, env, _|
      theirs, mine = %w[bundler spate].map { |tool| grouped("#{name}-#{tool}", BUNDLE_PATH: nil, **env) }
      if theirs.bundle("--version")[/\d+/].to_i == 2 # later versions have no such options
        theirs.bundle("install", *OPTIONS)
        %w[PATH WITHOUT CLEAN FROZEN].each { |key| assert_match(/^BUNDLE_#{key}: /, config(theirs), name) }
      end
      mine.spate!("install", *OPTIONS)

      assert_equal configured("path" => "elsewhere", "without" => "web"), config(mine)
      assert_match(/satisfied/, mine.bundle("check"))
    end
  end

  def test_system_where_a_path_was_set
    each_bundler do |name, env, _|
      project = grouped("system-#{name}", BUNDLE_PATH: nil, GEM_HOME: File.join(folder, "gems-#{name}"), **env)
      local(project, "BUNDLE_PATH: \"v\"\n")
      project.spate!("install", "--system")

      assert_equal configured("path.system" => "true"), config(project)
      assert_match(/satisfied/, project.bundle("check"))
      project.spate!("install", "--path", "w")
      assert_equal configured("path" => "w"), config(project)
    end
  end

  # The setting only affects `bundle cache`.
  def test_no_install
    each_bundler do |name, env, _|
      theirs, mine = %w[bundler spate].map { |tool| grouped("#{name}-#{tool}", BUNDLE_NO_INSTALL: "true", **env) }
      theirs.bundle("install")
      mine.spate!("install")

      assert_equal %w[base-1.0 web-1.0], theirs.installed
      assert_equal theirs.installed, mine.installed
    end
  end

  def test_with_and_without
    project = grouped("app")
    assert_installs(project, "base-1.0", "docs-1.0", options: %w[--with docs --without web])

    assert_equal configured("without" => "web", "with" => "docs"), config(project)
    assert_equal %w[base docs], project.bundle("list", "--name-only").split - %w[bundler]
  end

  # Bundler before 2.4 does not support `only`, so `bundle exec` would not find all gems of such a bundle.
  def test_only_installs_the_same_as_bundler
    each_bundler do |name, env, known|
      project = grouped("flag-#{name}", home: name, **env)
      if known
        assert_installs(project, "web-1.0", options: %w[--only web])
        assert_match(/satisfied/, project.bundle("check"))
      else
        output = assert_fails(project, 12, "--only needs Bundler 2.4", options: %w[--only web])
        assert_includes output, "hint: spate install --without default:docs"
        refute_path_exists project.path(".bundle/config")
      end
    end
  end

  def test_setting_only_installs_the_same_as_bundler
    each_bundler do |name, env, known|
      project = grouped("setting-#{name}", home: name, BUNDLE_ONLY: "web", **env)
      output = assert_installs(project, *(known ? %w[web-1.0] : %w[base-1.0 web-1.0]))
      assert_equal !known, output.match?(/^warning: the setting `only` has no effect: .*\nhint: /), output
      assert_match(/satisfied/, project.bundle("check"))
      assert_match(/complete/, project.spate!("check"))
    end
  end

  def test_unknown_groups
    project = grouped("app")
    output = assert_installs(project, "base-1.0", options: %w[--without wbe web --with docks])
    assert_includes output, "warning: --without: unknown groups: wbe\n" \
                            "hint: groups of the Gemfile: default, web, docs\n"
    assert_match(/^warning: --with: unknown groups: docks$/, output)
    assert_equal 2, output.scan(/^warning/).length
    refute_match(/warning/, assert_installs(project, "base-1.0"))
  end

  def test_contradicting_options_are_not_saved
    project = grouped("app")
    assert_fails(project, 12, "a, b", options: %w[--with a:b --without a:b])
    refute_path_exists project.path(".bundle/config")
    assert_fails(project, 12, "path.system", options: %w[--path x --system])
    refute_path_exists project.path(".bundle/config")
  end

  # Bundler 2 saves its options even if the command fails. Spate does not.
  def test_failed_install_saves_no_options
    project = app(gems: %w[base], BUNDLE_PATH: nil)
    @source.fault(/base-1\.0\.gem/, :status, code: 404, times: 1)
    assert_fails(project, 14, "base", options: %w[--path elsewhere --without docs])
    refute_path_exists project.path(".bundle/config")

    project.spate!("install", "--path", "elsewhere")
    assert_equal configured("path" => "elsewhere"), config(project)
  end

  def test_retry
    project = app(gems: %w[base])
    @source.fault(/base-1\.0\.gem/, :status, code: 503, times: 2)
    assert_fails(project, 6, "503", options: %w[--retry 0])
    @source.forget_requests
    assert_installs(project, "base-1.0", options: %w[--retry 1])
    assert_equal(2, @source.requests.count { |request| request.to_s.include?("base-1.0.gem") })
  end

  # Bundler converts the text to 0, and then installs one gem at a time.
  def test_invalid_number_of_jobs
    project = app(gems: %w[base])
    output = assert_installs(project, "base-1.0", BUNDLE_JOBS: "zz")

    assert_match(/^warning: the setting `jobs` is not a number: "zz"; using 0/, output)
    assert_match(/^hint: bundle config get jobs|^hint: see where it was set: bundle config get jobs/, output)
    assert_installs(app("other", gems: %w[base], home: "other-home"), "base-1.0", BUNDLE_JOBS: "0")
  end

  def test_invalid_compile_cache_mode
    project = app(gems: %w[base])
    assert_fails(project, 2, "--compile-cache", options: %w[--compile-cache never])
    assert_fails(project, 12, "spate.compile_cache", "never", BUNDLE_SPATE__COMPILE_CACHE: "never")
  end

  private

  # Yields a name, an environment, and whether that Bundler supports `only`: for this machine's Bundler and the newest.
  def each_bundler
    { "own" => {}, "newest" => NewestBundler.environment }.uniq { |_, env| env }.each do |name, env|
      env = env.transform_keys(&:to_sym)
      version = grouped("version-#{name}", **env).bundle("--version")[/\d\S*/]
      yield name, env, Gem::Version.new(version) >= Gem::Version.new("2.4")
    end
  end

  # Removes the Bundler version from the lockfile, so that the newest installed Bundler runs.
  def grouped(name, **env)
    project = app(name, gems: %w[base web docs], **env)
    lockfile = project.path("Gemfile.lock")
    File.write(lockfile, File.read(lockfile).sub(/^BUNDLED WITH.*/m, ""))
    File.write(project.path("Gemfile"), "source '#{@source.url}'\ngem 'base'\ngem 'web', group: :web\n" \
                                        "group(:docs, optional: true) { gem 'docs' }\n")
    project
  end

  def local(project, text)
    FileUtils.mkdir_p(project.path(".bundle"))
    File.write(project.path(".bundle/config"), "---\n#{text}")
  end

  def config(project) = File.read(project.path(".bundle/config"))

  # The settings that Bundler itself writes.
  def configured(settings)
    other = Spate::TestProject.new(File.join(folder, "configured"), "", env: { "BUNDLE_PATH" => nil })
    settings.each { |name, value| other.bundle("config", "set", "--local", name, value) }
    config(other)
  end
end
