# frozen_string_literal: true

require "install/install_case"
require "support/gem_eras"

# Metadata of all RubyGems versions. If this RubyGems installs a gem, Spate must write the same specification and
# executables; if it rejects a gem, Spate must reject it.
class ErasTest < InstallCase
  include Spate::Specification

  Expected = Struct.new(:full_name, :content_address)
  PATHS = GemEras::FILES.keys
  MUTANTS = ENV["SPATE_TEST_FULL"] ? 5000 : 300
  # RubyGems would write the executable to a path outside of its folder.
  UNSAFE = { "executables" => "[../bin/run]" }.freeze

  # Runs RubyGems for each archive. Prints "installs FULL_NAME" or "refuses", and installs it into a separate folder.
  # RubyGems 4 fails when it looks for plugins of some gems whose metadata it has accepted ("stumbles").
  ASK = <<~'RUBY'
    require "rubygems/installer"
    require "rubygems/user_interaction"
    Gem::DefaultUserInteraction.ui = Gem::SilentUI.new
    archives, root = ARGV
    Dir.children(archives).sort.each do |file|
      name = File.basename(file, ".gem")
      options = { ignore_dependencies: true, wrappers: true, env_shebang: true, install_dir: "#{root}/#{name}" }
      spec = Gem::Installer.at("#{archives}/#{file}", options).install
      puts "#{name}\tinstalls\t#{spec.full_name.dump}"
    rescue StandardError, SystemStackError => e
      check = e.backtrace.any? { |line| line.match?(/generate_plugins'\z/) } ? "stumbles" : "refuses"
      puts "#{name}\t#{check}\t#{e.message.lines.first.dump}"
    end
  RUBY

  def test_each_is_installed_or_refused_as_by_rubygems
    @texts = GemEras.all.reject { |name, _| name == GemEras::Odd.name_of(UNSAFE) }
    assert_same_checks
    assert_operator checks.count { |_, (check, _)| check == "refuses" }, :>, 100
    installs_all(checks.filter_map { |name, answer| name if answer == ["installs", "#{name}-1.0"] })
  end

  def test_mutated_gems_are_read_or_refused_as_by_rubygems
    @texts = GemEras::Mutants.of([Samples::BARE, *GemEras::Whole.all.values], MUTANTS, Random.new(20_261_123))
    assert_same_checks
    %w[installs refuses].each do |expected|
      assert_operator checks.count { |_, (check, _)| check == expected }, :>, MUTANTS / 10
    end
  end

  def test_bundler_installs_the_same
    @texts = GemEras::Whole.all
    names = texts.keys
    serve(names)
    mine = app("mine", gems: names, home: "mine-home")
    bundler = app("bundler", gems: names, home: "bundler-home")
    bundler.bundle("install")
    assert_installs(mine)

    assert_empty Spate::TreeComparison.differences(*[bundler, mine].map { |one| tree(one) })
    assert_equal "bound", mine.run!("bundle", "exec", "ruby", "-e", "require 'a'; print A == 1 ? :bound : A")
  end

  private

  def assert_same_checks
    wrong = checks.filter_map do |name, (check, full_name)|
      next if check == "stumbles"

      found = read(texts.fetch(name), check == "installs" ? full_name : "#{name}-1.0")
      expected = check == "installs" ? written(name, full_name) : nil
      same = found.is_a?(Spate::Error) ? expected.nil? : found == expected
      "#{name} (#{full_name}):\n#{texts[name]}\n#{found}" unless same
    end

    assert_empty wrong
  end

  # Installs all gems with `spate install`.
  def installs_all(names)
    assert_operator names.size, :>, 400
    serve(names)
    app = app(gems: names)
    assert_installs(app)
    written = names.to_h { |name| [name, File.binread("#{theirs(name)}/specifications/#{name}-1.0.gemspec")] }
    found = names.to_h { |name| [name, File.binread("#{app.bundle_root}/specifications/#{name}-1.0.gemspec")] }

    assert_equal written, found
  end

  attr_reader :texts

  def theirs(name) = File.join(folder, "theirs", name)

  # The files of the bundle, except bin/run. Each gem has this executable, and the last installed gem overwrites it.
  def tree(app) = Spate::TreeComparison.snapshot(app.bundle_root) { |path| %w[cache bin/run].include?(path) }

  def checks
    @checks ||= begin
      archives = File.join(folder, "archives").tap { |path| Dir.mkdir(path) }
      texts.each { |name, text| File.binwrite("#{archives}/#{name}.gem", GemEras.archive(text)) }
      output, = Open3.capture2("ruby", "-W0", "-e", ASK, archives, File.join(folder, "theirs"), err: File::NULL)
      output.lines(chomp: true).map { |line| line.split("\t") }
            .to_h { |name, check, words| [name, [check, words.undump]] }
    end
  end

  # The files written by RubyGems: the specification and the executables.
  def written(name, full_name)
    bin = "#{theirs(name)}/bin"
    wrappers = File.directory?(bin) ? Dir.children(bin).to_h { |file| [file, File.binread("#{bin}/#{file}")] } : {}
    [File.binread("#{theirs(name)}/specifications/#{full_name}.gemspec"), wrappers]
  end

  # The specification and executables that Spate would write, or its Error.
  def read(text, full_name)
    package = Expected.new(full_name)
    metadata = PlainMetadata.read(text, package,
                                  dialect) || RubygemsMetadata.read(text, package).tap(&:ensure_runs_here)
    facts = Facts.parse(metadata.facts(PATHS, verified: "index").to_s)
    lines = facts.executables.to_h { |name| [name, GemEras::FILES[facts.executable(name)]&.lines&.first] }
    generated = GeneratedFiles.parse(metadata.generate(lines, File.join(folder, "scratch")).to_s)
    [generated.specification, generated.wrappers]
  rescue Spate::Error => e
    e
  end

  def dialect
    @dialect ||= begin
      store = Spate::Store.open(home: File.join(folder, "dialects"), env: {})
      Dialect.learn(store, "rubygems-test", File.join(folder, "scratch"))
    end
  end

  def serve(names)
    @source.add("needed", "1.0")
    names.each do |name|
      needs = Gem::Specification.from_yaml(texts[name]).runtime_dependencies.to_h { |one| [one.name, one.requirement] }
      recipe = GemSource::Recipe.new(name, "1.0", dependencies: needs)
      @source.catalog.add(recipe, GemEras.archive(texts[name]))
    end
  end
end
