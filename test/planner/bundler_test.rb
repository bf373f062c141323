# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "support/newest_bundler"

# Compares the planner with the real Bundler, which lists what it would install for a Gemfile, lockfile and settings.
# The Bundler is the one from bin/setup, that of SPATE_TEST_BUNDLER, or this machine's.
class PlannerBundlerTest < Minitest::Test
  APPS = ENV.fetch("SPATE_TEST_APPS") { File.expand_path("../../../shared/apps", __dir__) }
  LOCKFILES = ENV.fetch("SPATE_TEST_LOCKFILES") { File.expand_path("../../../shared/lockfiles", __dir__) }
  BUNDLER = NewestBundler.version
  GROUPS = [{}, { without: "development:test" }, { without: "development:test:default", with: "production" },
            { only: "production:staging" }, { only: "default" }].freeze
  # Each lockfile is planned for the first machine, and in turn for one of the others.
  MACHINES = %w[x86_64-linux x86_64-linux-musl aarch64-linux arm64-darwin-24 x64-mingw-ucrt java].freeze
  # Bundler, too, fails on these two.
  UNREADABLE = %w[diaspora-conflict.lock made-plugin-source.lock].freeze

  # The settings that the planner reads from Spate::Settings.
  Settings = Struct.new(:given) do
    def bool(key) = given[key] == true
    def array(key) = given[key].to_s.split(":").map(&:to_sym)
    def frozen? = bool(:frozen)
  end
  Facts = Struct.new(:dependencies, :optional_groups)

  %w[mrsk lobsters human-essentials].each do |app|
    define_method("test_groups_of_#{app.tr("-", "_")}") do
      skip "no apps in SPATE_TEST_APPS (#{APPS})" unless File.exist?("#{APPS}/#{app}/Gemfile")

      gemfile = copy(app)
      sizes = compare(gemfile, *GROUPS)
      assert_operator sizes.uniq.size, :>, 1, "the settings made no difference"
    end
  end

  def test_optional_groups_env_and_platforms_of_a_gemfile
    gemfile = write("Gemfile", <<~RUBY)
      source "https://gems.test"
      gem "rack"
      gem "debug", group: %i[development test]
      gem "tzinfo-data", platforms: %i[windows jruby] if false
      gem "wdm", platforms: %i[mswin jruby]
      gem "pry", install_if: -> { false }
      group(:docs, optional: true) { gem "yard" }
      gem "redcarpet", env: "SPATE_TEST_UNSET_VARIABLE" if false
    RUBY
    write("Gemfile.lock", lock("debug (1)", "pry (1)", "rack (1)", "wdm (1)", "yard (1)",
                               dependencies: %w[debug pry rack wdm yard]))
    compare(gemfile, {}, { with: "docs" }, { without: "test" }, { without: "test:development" },
            { only: "docs", with: "docs" })
  end

  def test_force_ruby_platform
    gemfile = write("Gemfile", "source 'https://gems.test'\ngem 'nokogiri'\ngem 'rack'\n")
    write("Gemfile.lock", lock("mini_portile2 (2)", "nokogiri (1)\n      mini_portile2", "nokogiri (1-x86_64-linux)",
                               "rack (1)", dependencies: %w[nokogiri rack]))
    compare(gemfile, {}, { force_ruby_platform: true })
  end

  def test_force_ruby_platform_of_one_gem
    since "2.4", "knows no force_ruby_platform in a Gemfile"
    gemfile = write("Gemfile", "source 'https://gems.test'\ngem 'nokogiri', force_ruby_platform: true\ngem 'ox'\n")
    write("Gemfile.lock", lock("nokogiri (1)", "nokogiri (1-x86_64-linux)", "ox (1)", "ox (1-x86_64-linux)",
                               dependencies: %w[nokogiri ox]))
    compare(gemfile, {})
  end

  lockfiles = Dir["#{LOCKFILES}/*.lock"].reject { |path| UNREADABLE.include?(File.basename(path)) }
  lockfiles.sort.each_with_index do |path, index|
    define_method("test_machines_of_#{File.basename(path, ".lock").tr("-", "_")}") do
      lockfile = write("Gemfile.lock", readable(File.read(path)))
      compare_machines(lockfile, [MACHINES.first, MACHINES.drop(1)[index % (MACHINES.size - 1)]])
    end
  end

  def test_lockfile_for_ruby_only
    since "2.5", "chooses the variant another way"
    path = write("Gemfile.lock", lock("nokogiri (1)", "ox (1)", "rack (1)", dependencies: %w[nokogiri ox rack],
                                                                            platforms: %w[ruby]))
    compare_machines(path, ["x86_64-linux"], offered: [offer("nokogiri", "1"), offer("nokogiri", "1", platform: "java"),
                                                       offer("nokogiri", "2"), offer("ox", "1", ruby: "< 2")])
  end

  def test_locked_variant_that_fits_no_ruby_like_this
    since "2.6", "does not look for a variant that fits"
    path = write("Gemfile.lock", lock("ox (1)", "ox (1-x86_64-linux)", dependencies: %w[ox]))
    compare_machines(path, ["x86_64-linux"], unfit: ["ox-1-x86_64-linux"], offered: [offer("ox", "1", ruby: "< 2")])
  end

  private

  def offer(name, version, platform: "x86_64-linux", **rest)
    { name: name, version: version, platform: platform, **rest }
  end

  # Compares all settings for a Gemfile. Returns the numbers of packages.
  def compare(gemfile, *settings)
    settings = known(settings)
    jobs = settings.map do |values|
      { gemfile: gemfile, environment: values.to_h { |key, value| ["BUNDLE_#{key.upcase}", value.to_s] } }
    end
    settings.zip(ask(jobs)).map do |values, answer|
      facts = Facts.new(answer[:dependencies], answer[:optional])
      plan = planner("#{gemfile}.lock", gemfile: facts, settings: Settings.new(values)).plan
      assert_equal answer[:packages], plan.packages.map(&:full_name).sort, values
      plan.packages.size
    end
  end

  def compare_machines(path, machines, offered: [], unfit: [])
    lockfile = Spate::Lockfile.parse(File.binread(path), path: path)
    available = lambda do |name, _source|
      own = lockfile.variants(name).map { |spec| { version: spec.version, platform: spec.platform } }
      own + offered.select { |row| row[:name] == name }
    end
    jobs = machines.map { |machine| { lockfile: path, platform: machine, offered: offered, environment: {} } }
    machines.zip(ask(jobs)).each do |machine, answer|
      plan = planner(path, platform: Spate::Platform.parse(machine), available: available, unfit: unfit).plan
      names = plan.packages.map(&:full_name)
      assert_equal [[], []], [answer[:packages] - names, names - answer[:packages]], machine
    end
  end

  # A lockfile's text with an address as source, and with "linux" for "linux-gnu" if RubyGems does not distinguish them.
  def readable(text)
    text = text.gsub("__SOURCE__", "https://gems.test")
    Gem::Platform.new("x86_64-linux-gnu").version ? text : text.gsub(/-linux-gnu\b/, "-linux")
  end

  def planner(path, platform: Spate::Platform.parse("x86_64-linux"), **options)
    Spate::Planner.new(lockfile: Spate::Lockfile.parse(File.binread(path), path: path), platform: platform,
                       rubygems_version: "3.6.9", **options)
  end

  def ask(jobs)
    clean = { "RUBYOPT" => nil, "BUNDLE_GEMFILE" => nil, "BUNDLE_FROZEN" => nil, "BUNDLE_WITHOUT" => nil,
              "BUNDLE_APP_CONFIG" => "#{folder}/config", "BUNDLE_USER_HOME" => "#{folder}/home",
              **NewestBundler.environment }
    prelude = BUNDLER ? "gem 'bundler', '#{BUNDLER}'; " : ""
    out, err, status = Open3.capture3(clean, RbConfig.ruby, "-e", "#{prelude}load ARGV[0]",
                                      File.expand_path("oracle.rb", __dir__), stdin_data: Marshal.dump(jobs),
                                                                              binmode: true)
    assert_predicate status, :success?, err
    Marshal.load(out).map { |text| answer(text) } # rubocop:disable Security/MarshalLoad -- this test's child
  end

  def answer(text)
    answer = Marshal.load(text) # rubocop:disable Security/MarshalLoad -- this test's child
    assert_nil answer[:error], answer[:message]
    answer
  end

  def bundler = @bundler ||= Gem::Version.new(BUNDLER || IO.popen(%w[bundle --version], &:read)[/\d+(\.\d+)+/])

  def since(version, lack)
    skip "Bundler #{bundler} #{lack}: bin/setup fetches a newer one" if bundler < Gem::Version.new(version)
  end

  # The settings that this Bundler supports. `only` exists since Bundler 2.4.
  def known(settings) = bundler < Gem::Version.new("2.4") ? settings.reject { |it| it.key?(:only) } : settings

  def copy(app)
    FileUtils.cp_r("#{APPS}/#{app}", folder)
    FileUtils.chmod_R("u+w", "#{folder}/#{app}")
    %w[Gemfile Gemfile.lock].each do |name|
      path = "#{folder}/#{app}/#{name}"
      File.write(path, File.read(path).gsub("__SOURCE__", "https://gems.test"))
    end
    "#{folder}/#{app}/Gemfile"
  end

  def lock(*specs, dependencies:, platforms: %w[ruby x86_64-linux])
    lines = ->(names) { names.map { |name| "  #{name}\n" }.join }
    "GEM\n  remote: https://gems.test/\n  specs:\n#{specs.map { |spec| "    #{spec}\n" }.join}\n" \
      "PLATFORMS\n#{lines.call(platforms)}\nDEPENDENCIES\n#{lines.call(dependencies.sort)}\nBUNDLED WITH\n   2.3.15\n"
  end
end
