# frozen_string_literal: true

require "install/places/places_case"

# Commands of three projects and edits, in random order. Each check must report exactly the files that differ from their
# packages, and the number of gems being edited. SPATE_SEED repeats a run, SPATE_TEST_FULL makes it longer.
class PlacesOrdersTest < PlacesCase
  SEED = Integer(ENV.fetch("SPATE_SEED") { Random.new_seed % 100_000 })
  STEPS = ENV["SPATE_TEST_FULL"] ? 150 : 12
  GEMS = %w[a b c d].freeze
  FILES = %w[lib/one.rb lib/two.rb README].freeze
  CHANGES = {
    append: ->(path) { File.write(path, "# more\n", mode: "a") },
    rename: lambda { |path|
      File.write("#{path}~", "# mine\n")
      File.rename("#{path}~", path)
    },
    truncate: ->(path) { File.truncate(path, 0) },
    chmod: ->(path) { File.chmod(0o664, path) },
    delete: ->(path) { File.unlink(path) }
  }.freeze

  %i[shared vendor some_copies].each do |place|
    define_method(:"test_#{place}") do
      @place = place
      @random = Random.new(SEED)
      prepare
      STEPS.times { |step| turn(step) }
      finish
    rescue Minitest::Assertion, RuntimeError => e
      raise e.class, "SPATE_SEED=#{SEED}, #{place}, after #{@steps.inspect}:\n#{e.message}", e.backtrace
    end
  end

  private

  def prepare
    GEMS.product(%w[1.0 2.0]).each do |name, version|
      @source.add(name, version, files: FILES.to_h { |path| [path, "# #{name} #{version} #{path}\n"] })
    end
    @steps = []
    @private = {} # gem's folder => true
    @projects = %w[one two three].each_with_index.map { |name, index| project(name, index + 1) }
    @projects.each { |project| step(:install, project) }
    @pristine = GEMS.product(%w[1.0 2.0]).to_h { |gem| [gem.join("-"), FILES.to_h { |path| [path, nil] }] }
  end

  def project(name, number)
    made = app(name, gems: [], **environment(@place, number))
    lock_some(made)
    made
  end

  # Writes a lockfile with random gems and versions.
  def lock_some(project)
    names = GEMS.sample(2 + @random.rand(2), random: @random).sort
    wanted = names.to_h { |name| [name, %w[1.0 2.0].sample(random: @random)] }
    gems = wanted.map { |name, version| "gem '#{name}', '#{version}'\n" }
    File.write(project.path("Gemfile"), "source '#{@source.url}'\n#{gems.join}")
    File.write(project.path("Gemfile.lock"), lockfile(wanted))
  end

  def lockfile(wanted)
    sums = @source.catalog.entries.to_h { |entry| [[entry.name, entry.number], entry.sha256] }
    <<~LOCK
      GEM
        remote: #{@source.url}
        specs:
      #{wanted.map { |name, version| "    #{name} (#{version})" }.join("\n")}

      PLATFORMS
        #{Gem::Platform.local}

      DEPENDENCIES
      #{wanted.map { |name, version| "  #{name} (= #{version})" }.join("\n")}

      CHECKSUMS
      #{wanted.map { |gem| "  #{gem.first} (#{gem.last}) sha256=#{sums.fetch(gem)}" }.join("\n")}

      BUNDLED WITH
         2.3.15
    LOCK
  end

  def turn(_number)
    actions = %i[install install change change change edit restore relock uninstall reinstall kill vanish]
    step(actions.sample(random: @random), @projects.sample(random: @random))
    @projects.each { |project| assert_named(project) }
  end

  def step(action, project)
    gem = there(project).sample(random: @random)
    return if gem.nil? && %i[change edit restore uninstall reinstall].include?(action)

    @steps << [action, File.basename(project.folder), *(gem if %i[edit restore uninstall reinstall].include?(action))]
    send(action, project, gem)
  end

  def change(project, gem)
    path = FILES.map { |file| "#{gem_root(project, @place)}/#{gem}/#{file}" }.select { |file| File.exist?(file) }
                .sample(random: @random) or return
    kind = CHANGES.keys.sample(random: @random)
    @steps.last.push(kind, path)
    sleep 0.02 # after the clock tick in which the file was written
    CHANGES.fetch(kind).call(path)
  end

  def install(project, _)
    lacking = names(project) - there(project)
    project.spate!("install")
    lacking.each { |gem| @private.delete("#{gem_root(project, @place)}/#{gem}") }
    assert_equal names(project), there(project).sort
  end

  def edit(project, gem)
    project.spate!("edit", gem[/\w+/])
    @private["#{gem_root(project, @place)}/#{gem}"] = true
  end

  def restore(project, gem)
    return unless names(project) == there(project).sort

    project.spate!("restore", gem[/\w+/])
    @private.delete("#{gem_root(project, @place)}/#{gem}")
  end

  def relock(project, _) = lock_some(project)

  # Removes a gem like `gem uninstall`.
  def uninstall(project, gem)
    root = File.dirname(gem_root(project, @place))
    FileUtils.rm_rf(["#{root}/gems/#{gem}", "#{root}/specifications/#{gem}.gemspec"])
  end

  # Restores the package's files with current times, like `bundle pristine`.
  def reinstall(project, gem)
    FILES.each do |path|
      file = "#{gem_root(project, @place)}/#{gem}/#{path}"
      File.unlink(file) if File.exist?(file)
      FileUtils.mkdir_p(File.dirname(file))
      File.write(file, text(gem, path))
      File.chmod(0o644, file)
    end
  end

  # Simulates a killed install: installs, and puts the earlier records back, because an install writes its record last.
  def kill(project, _)
    records = Dir.glob("#{project.home}/spate/store/v1/bundles/*").to_h { |path| [path, File.binread(path)] }
    lacking = names(project) - there(project)
    project.spate!("install")
    records.each { |path, text| File.binwrite(path, text) }
    kept = Spate::Store::BundleRecord.load(project.store, File.dirname(gem_root(project, @place)))
    lacking.each do |gem|
      @private.delete("#{gem_root(project, @place)}/#{gem}") unless kept&.tree("gems/#{gem}")&.private?
    end
  end

  # Deletes the project's folder and creates it again.
  def vanish(project, _)
    number = @projects.index(project)
    FileUtils.rm_rf(project.folder)
    @private.reject! { |folder,| folder.start_with?("#{project.folder}/") }
    @projects[number] = project(File.basename(project.folder), number + 1)
  end

  # Full names of the gems in the lockfile.
  def names(project) = File.read(project.path("Gemfile.lock")).scan(/^    (\w) \((\d\.0)\)$/).map { _1.join("-") }.sort

  def there(project)
    root = File.dirname(gem_root(project, @place))
    names(project).select do |gem|
      File.exist?("#{root}/specifications/#{gem}.gemspec") && File.directory?("#{root}/gems/#{gem}")
    end
  end

  def text(gem, path) = "# #{gem.tr("-", " ")} #{path}\n"

  def assert_named(project)
    found = events(project, "check", status: [0, 11])
    folder = gem_root(project, @place)
    own, others = there(project).partition { |gem| @private["#{folder}/#{gem}"] }
    told = found.fetch(:edited, []).map { |edit| edit.values_at(:name, :path, :kind) }
    assert_equal others.flat_map { |gem| differing(folder, gem) }.sort, told.sort, File.basename(project.folder)
    counts = found.fetch(:editing, []).to_h { |one| [one[:name], one[:files]] }
    assert_equal(own.to_h { |gem| [gem, differing(folder, gem).size] }, counts, File.basename(project.folder))
  end

  # [[gem, path, "missing" or "changed"]] for the files of a gem that differ from the package.
  def differing(folder, gem)
    FILES.filter_map do |path|
      file = "#{folder}/#{gem}/#{path}"
      next [gem, path, "missing"] unless File.exist?(file)

      [gem, path, "changed"] unless File.read(file) == text(gem, path) && (File.stat(file).mode & 0o777) == 0o644
    end
  end

  def finish
    @projects.each do |project|
      step(:install, project)
      project.spate!("restore", "--all")
    end
    @private.clear
    @projects.each { |project| assert_named(project) }
    @projects.first.spate("store", "verify")
    assert_store_clean(@projects.first)
  end
end
