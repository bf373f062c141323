# frozen_string_literal: true

require "test_helper"
require "support/project"
require "support/tree_comparison"
require "rubygems"
require "timeout"

# Complete installs: a local source of small gems, applications with generated lockfiles (faster than Bundler), and
# conditions that must be true after every install, even a failed one.
class InstallCase < Minitest::Test
  # Time limit in seconds for any command of these tests on a busy machine.
  PATIENCE = 60

  def setup
    super
    @source = GemSource.start
  end

  def teardown
    @source.stop
    Array(@mounts).reverse_each { |path| system("umount", "-l", path, err: File::NULL) }
    super
  end

  # An application with these gems in the Gemfile, and with their dependencies in the lockfile.
  def app(name = "app", gems: [], home: "home", source: @source.url, checksums: {}, **env)
    gemfile = "source '#{source}'\n#{gems.map { |gem| "gem '#{gem}'\n" }.join}"
    project = Spate::TestProject.new(File.join(folder, name), gemfile, home: File.expand_path(home, folder),
                                                                       env: env.transform_keys(&:to_s))
    lock(project, gems, source, checksums)
    project
  end

  def lock(project, gems, source = @source.url, checksums = {})
    sums = checksums.map { |full, sum| "  #{full.sub(/-(\d.*)/, ' (\1)')} sha256=#{sum}\n" }.join
    File.write(project.path("Gemfile.lock"), <<~LOCK)
      GEM
        remote: #{source}
        specs:
      #{closure(gems).map { |entry| spec_lines(entry) }.join.chomp}

      PLATFORMS
        #{Gem::Platform.local}

      DEPENDENCIES
      #{gems.map { |gem| "  #{gem}" }.sort.join("\n")}
      #{"\nCHECKSUMS\n#{sums}" unless sums.empty?}
      BUNDLED WITH
         2.3.15
    LOCK
  end

  def run_install(project, *options, **env)
    Timeout.timeout(PATIENCE) { project.spate("install", *options, **env) }
  end

  # Asserts that the command fails with this exit code, and prints a hint and all of `words`.
  def assert_fails(project, code, *words, options: [], **env)
    output, status = run_install(project, *options, **env)
    assert_equal code, status.exitstatus, output
    words.each { |word| assert_includes output, word }
    assert_match(/^hint: \S/, output)
    refute_match(/[\e\u0007]/, output)
    output
  end

  def assert_installs(project, *full_names, options: [], **env)
    output, status = run_install(project, *options, **env)
    assert_equal 0, status.exitstatus, output
    assert_equal full_names.sort, project.installed unless full_names.empty?
    assert_whole(project)
    output
  end

  # Asserts that each gem has a specification, each specification a gem, and that no temporary file is left.
  def assert_whole(project)
    root = project.bundle_root
    specifications = children("#{root}/specifications").map { |name| name.delete_suffix(".gemspec") }
    assert_equal specifications, children("#{root}/gems")
    assert_empty Dir.glob("#{root}/**/*.{tmp,#{Process.pid}}", File::FNM_DOTMATCH)
    assert_empty children("#{project.home}/spate/store/v1/tmp")
  end

  def children(path) = Dir.exist?(path) ? Dir.children(path).sort : []

  # Everything that a failed install must not change: the application, and the store's records of packages.
  def state(project)
    store = "#{project.home}/spate/store/v1"
    kept = %w[packages builds archives names specs tmp].to_h { |kind| [kind, Dir.glob("#{store}/#{kind}/**/*").sort] }
    { app: Spate::TreeComparison.snapshot(project.folder), outside: Dir.children(folder).sort, store: kept }
  end

  # Asserts with `spate store verify` that the objects of all manifests are correct.
  def assert_store_clean(project)
    output, status = project.spate("store", "verify")
    assert_equal 0, status.exitstatus, output
  end

  def mount(path, options)
    skip "needs root to mount a tmpfs" unless Process.euid.zero?

    FileUtils.mkdir_p(path)
    skip "no tmpfs can be mounted here" unless system("mount", "-t", "tmpfs", "-o", options, "tmpfs", path)
    (@mounts ||= []) << path
    path
  end

  def seconds
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
  end

  private

  def closure(names)
    wanted = names.dup
    found = {}
    while (name = wanted.shift)
      entry = @source.catalog.entries.reverse.find { |each| each.name == name } or next
      next if found[name]

      found[name] = entry
      wanted.concat(entry.dependencies.map(&:first))
    end
    found.values.sort_by(&:name)
  end

  def spec_lines(entry)
    needs = entry.dependencies.map do |name, requirements|
      any = requirements == [">= 0"]
      "      #{name}#{" (#{requirements.join(", ")})" unless any}\n"
    end
    "    #{entry.name} (#{entry.number})\n#{needs.join}"
  end
end
