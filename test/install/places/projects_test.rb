# frozen_string_literal: true

require "install/places/places_case"

# How several projects in one folder affect each other. matrix_test.rb tests edits.
class PlacesProjectsTest < PlacesCase
  def setup
    super
    %w[mine yours ours].each { |name| @source.add(name, "1.0", files: { "lib/#{name}.rb" => "#{name.upcase} = 1\n" }) }
  end

  def test_a_git_checkout_stays_complete
    repository = GemSource::Repository.new("#{folder}/repository")
    repository.commit(GemSource::Repository.gem_files("twin", "1.0"))
    first = project("first", %w[mine])
    File.write(first.path("Gemfile"), "gem 'twin', git: '#{repository.url}'\n", mode: "a")
    first.spate!("install")
    second = project("second", %w[yours])
    second.spate!("install")
    assert_equal 1, record.notes.lines.grep(/^git\t/).size

    assert_match(/nothing to do/, first.spate!("install"))
    FileUtils.rm_rf(Dir.glob("#{root(:shared)}/bundler/gems/*"))
    assert_match(/1 from git/, first.spate!("install"))
  end

  def test_gems_removed_by_another_tool_are_removed_from_the_record
    first, second = installed(%w[mine ours], %w[yours ours])
    assert_equal %w[gems/mine-1.0 gems/ours-1.0 gems/yours-1.0], trees.map(&:path)
    env = { "GEM_HOME" => root(:shared), "GEM_PATH" => root(:shared), "BUNDLE_PATH" => nil }
    first.run!("gem", "uninstall", "--executables", "--force", "mine", **env)
    assert_equal ["mine-1.0"], events(first, "check", status: [11]).fetch(:checked).first[:missing]
    second.spate!("restore", "ours")

    assert_equal %w[gems/ours-1.0 gems/yours-1.0], trees.map(&:path)
    first.spate!("install")
    assert_equal %w[gems/mine-1.0 gems/ours-1.0 gems/yours-1.0], trees.map(&:path)
  end

  # `bundle clean` does the same.
  def test_clean_removes_the_gems_of_others
    first, second = installed(%w[mine ours], %w[yours ours])
    assert_match(/^removed yours-1\.0$/, first.spate!("install", "--clean"))
    output, status = second.spate("check")
    assert_equal 11, status.exitstatus
    assert_match(/^error: 1 gem of the bundle missing\n  yours-1\.0$/, output)
    second.spate!("install")
    assert_named(second, "yours-1.0")
  end

  # After a branch switch, a gem of the previous lockfile is restored, too.
  def test_a_lockfile_of_another_branch
    project = project("first", %w[mine ours])
    project.spate!("install")
    before = File.read(project.path("Gemfile.lock"))
    gemfile = File.read(project.path("Gemfile"))
    File.write(project.path("Gemfile"), gemfile.sub("mine", "yours"))
    lock(project, %w[yours ours], @source.url, sums(%w[yours ours]))
    project.spate!("install")
    File.write(project.path("Gemfile"), gemfile)
    File.write(project.path("Gemfile.lock"), before)

    assert_named(project, "mine-1.0")
    project.spate!("edit", "yours-1.0")
    assert_equal(["yours-1.0"], events(project, "edit", "--list").fetch(:editing).map { |one| one[:name] })
  end

  # An install was killed before it wrote the record.
  def test_gems_without_a_record_are_recognised_by_their_checksum
    first, second = installed(%w[mine ours], %w[yours ours])
    FileUtils.rm_rf("#{first.home}/spate/store/v1/bundles")
    [first, second].each do |project|
      assert_equal(%w[linked linked], events(project, "list").fetch(:gem).map { |gem| gem[:state] })
    end
    assert_named(first, "mine-1.0")
    first.spate!("install")
    assert_equal %w[gems/mine-1.0 gems/ours-1.0], trees.map(&:path)
  end

  def test_simultaneous_installs_into_one_folder
    projects = [project("first", %w[mine ours]), project("second", %w[yours ours])]
    outputs = projects.map { |one| Thread.new { one.spate!("install") } }.map(&:value)
    outputs.each { |output| assert_match(/^2 gems in /, output) }
    assert_equal %w[gems/mine-1.0 gems/ours-1.0 gems/yours-1.0], trees.map(&:path)
    assert_equal projects.map(&:folder).sort, record.projects.map(&:app).sort
  end

  # The install writes the record, and would lose the mark that `spate edit` sets.
  def test_edit_waits_for_an_install
    first, = installed(%w[mine ours])
    output = File.open(root(:shared)) do |lock|
      lock.flock(File::LOCK_EX)
      started = Thread.new { first.spate!("edit", "mine", "--verbose") }
      Timeout.timeout(PATIENCE) { Thread.pass until waiting? || !started.alive? }
      assert_predicate started, :alive?
      refute_predicate record.tree("gems/mine-1.0"), :private?
      lock.flock(File::LOCK_UN)
      started.value
    end
    assert_match(/you can edit/, output)
    assert_predicate record.tree("gems/mine-1.0"), :private?
  end

  def test_the_record_of_an_earlier_version_is_read_and_rewritten
    @source.add("native", "1.0", native: true)
    first, = installed(%w[mine native])
    path = first.store.path("bundles", Spate::Store::BundleRecord.key(root(:shared)))
    builds = record.builds
    text = record.to_s.sub("spate-bundle 2", "spate-bundle 1").gsub(/,b:[^\t]*/, "")
                 .sub("\n\n", "\ntree\tlinked\tb:#{builds.join(",b:")}\t\n\n")
    Spate::Store::Text.write(path, text, "#{path}.new")
    library = Dir.glob("#{root(:shared)}/gems/native-1.0/lib/**/*.so").fetch(0)
    content = File.binread(library)
    2.times do
      File.unlink(library)
      assert_match(/^error: 1 file of the bundle missing/, first.spate("check").first)
      first.spate!("install")
      assert_equal content, File.binread(library)
    end

    assert_equal [builds, "spate-bundle 2"], [record.tree("gems/native-1.0").builds, record.to_s.lines.first.chomp]
  end

  # `spate edit` also marks a gem that Bundler installed. Its changes are unknown if the store does not have the
  # package.
  def test_a_gem_that_bundler_installed_is_edited
    first = project("first", %w[mine])
    first.bundle("install")
    { "changes are unknown" => nil, "2 files changed" => 2 }.each do |said, files|
      first.spate!("edit", "mine")
      write("bundle/#{Spate::Layout.ruby_scope}/gems/mine-1.0/lib/mine.rb", "MINE = 2\n")
      write("bundle/#{Spate::Layout.ruby_scope}/gems/mine-1.0/lib/more.rb", "MORE = 1\n")
      assert_match(/^mine-1\.0 is being edited: .*#{said}$/, first.spate!("check"))
      listed = events(first, "edit", "--list").fetch(:editing)
      assert_equal([["mine-1.0", files]], listed.map { |one| one.values_at(:name, :files) })
      first.spate!("restore", "mine")
      assert_match(/^mine +1\.0 +linked/, first.spate!("list"))
      FileUtils.rm_rf([root(:shared), "#{first.home}/spate/store/v1/bundles"])
      first.bundle("install")
    end
  end

  # An install of one project must not revert the setting of another.
  def test_copies_stay_while_a_project_wants_them
    first, second = installed(%w[mine ours], %w[yours ours])
    assert_match(/^2 gems in .*, \d+ files? copied$/, second.spate!("install", SPATE_COPY: "1"))
    expected = { "mine-1.0" => 2, "ours-1.0" => 1, "yours-1.0" => 1 }
    [[first, {}], [first, {}], [second, { SPATE_COPY: "1" }]].each do |one, env|
      assert_match(/nothing to do/, one.spate!("install", **env))
      assert_equal expected, links
    end
    first.spate!("install", SPATE_COPY: "1")
    assert_match(/nothing to do/, second.spate!("install"))
    assert_equal [1], links.values.uniq
    assert_match(/\d files? relinked$/, first.spate!("install"))
    assert_equal({ "mine-1.0" => 2, "ours-1.0" => 2, "yours-1.0" => 1 }, links)
    assert_store_clean(first)
  end

  def test_a_project_that_is_gone_is_forgotten
    first, second = installed(%w[mine], %w[yours])
    status = first.spate!("store", "status")
    assert_match(/^2 projects:$/, status)
    [first, second].each do |one|
      assert_match(/#{one.folder}  2 gems, .*, in #{root(:shared)}, shared by 2 projects$/, status)
    end
    FileUtils.rm_rf(first.folder)
    assert_match(/its folder is missing/, second.spate!("store", "status"))
    project("third", %w[yours]).spate!("install")

    assert_equal %w[second third], record.projects.map { |one| File.basename(one.app) }.sort
    assert_equal %w[gems/mine-1.0 gems/yours-1.0], trees.map(&:path)
  end

  # The builds of another project may be of private gems.
  def test_cache_push_sends_only_the_project_s_gems
    %w[open secret].each { |name| @source.add(name, "1.0", native: true) }
    first, second = installed(%w[open mine], %w[secret ours])
    Dir.mkdir(cache = "#{folder}/cache")
    [[first, %w[mine open]], [second, %w[ours secret]]].each do |one, names|
      sent = one.spate!("cache", "push", "--dry-run", "--json", SPATE_CACHE: cache).lines.map { JSON.parse(_1) }
      sent.select! { |event| %w[build archive].include?(event["kind"]) }
      assert_equal names, sent.map { |event| event["name"][/[a-z]+/] }.uniq.sort
      assert_includes sent.map { |event| event["kind"] }, "build"
    end
  end

  private

  def project(name, gems) = app(name, gems: gems, checksums: sums(gems), **environment(:shared, 1))

  def installed(*all)
    all.zip(%w[first second]).map { |gems, name| project(name, gems).tap { |made| made.spate!("install") } }
  end

  def record = Spate::Store::BundleRecord.load(store, root(:shared))
  def store = Spate::Store.open(env: { "SPATE_HOME" => "#{folder}/home/spate" })
  def trees = record.trees.sort_by(&:path)

  # { full name of a gem => link count of its library }
  def links
    trees.to_h do |tree|
      [File.basename(tree.path), File.stat(Dir.glob("#{record.destination(tree)}/lib/*").first).nlink]
    end
  end

  # Whether a process waits for the lock of the folder.
  def waiting?
    inode = File.stat(root(:shared)).ino
    File.readlines("/proc/locks").any? { |line| line.match?(/->.*FLOCK.*:#{inode} /) }
  end

  # Asserts that an edit of one of its gems is reported.
  def assert_named(project, gem)
    sleep 0.02 # after the clock tick in which the file was written
    File.write(Dir.glob("#{root(:shared)}/gems/#{gem}/lib/*").first, "# more\n", mode: "a")
    assert_equal([gem], events(project, "check").fetch(:edited).map { |edit| edit[:name] })
  end
end
