# frozen_string_literal: true

require "test_helper"

class PlannerTest < Minitest::Test
  using(Module.new { refine(Spate::Plan) { def [](name) = packages.find { |package| package.name == name } } })

  Settings = Struct.new(:given) do
    def bool(key) = given[key] == true
    def array(key) = Array(given[key])
    def frozen? = bool(:frozen)
  end
  Facts = Struct.new(:dependencies, :optional_groups)
  LINUX = Spate::Platform.parse("x86_64-linux")

  LOCK = <<~LOCK.freeze
    GIT
      remote: https://git.test/tool.git
      revision: 48e2c458c2827cf2af2b0a287b30468fa8d761bf
      specs:
        tool (0.5)
          rack

    PATH
      remote: engines/billing
      specs:
        billing (0.1)

    GEM
      remote: https://one.test/
      specs:
        inner (1)

    GEM
      remote: https://two.test/
      remote: https://three.test/
      specs:
        bundler-audit (1)
          bundler
        nokogiri (1.15)
          mini_portile2
        nokogiri (1.15-arm64-darwin)
        nokogiri (1.15-x86_64-linux)
          racc (~> 1)
        mini_portile2 (2)
        racc (1.7)
        rack (3)
          inner
        unused (1)

    PLATFORMS
      ruby
      x86_64-linux

    DEPENDENCIES
      billing!
      bundler (>= 2)
      bundler-audit
      nokogiri
      tool!

    CHECKSUMS
      nokogiri (1.15-x86_64-linux) sha256=#{"a" * 64}
      rack (3) sha512=#{"b" * 128}
      racc (1.7)
  LOCK

  # Bundler before 2.4 has no such setting.
  def test_only_is_used_if_bundler_supports_it
    { "2.3.27" => %w[one two], "2.4.0" => %w[one], "2.10.1" => %w[one], "4.0.0" => %w[one] }.each do |version, names|
      lines = %w[one two].map { |name| Spate::Gemfile::Dependency.new(name, [name.to_sym], true) }
      facts = Spate::Gemfile::Facts.new(bundler_version: version, dependencies: lines)
      lockfile = Struct.new(:dependencies).new([])
      wanted = Spate::Planner::Wanted.new(lockfile, facts, Settings.new({ only: [:one] }))
      assert_equal names, wanted.dependencies.map(&:name), version
    end
  end

  def test_everything_while_the_gemfile_is_unknown
    plan = planner.plan
    assert_equal %w[tool-0.5 billing-0.1 inner-1 bundler-audit-1 nokogiri-1.15-x86_64-linux racc-1.7 rack-3],
                 plan.packages.map(&:full_name)
  end

  def test_packages_know_their_source_and_digests
    plan = planner.plan
    assert_equal %i[git path gem gem], %w[tool billing inner rack].map { |name| plan[name].source.type }
    assert_equal %w[https://two.test/ https://three.test/], plan["rack"].source.remotes
    assert_equal "a" * 64, plan["nokogiri"].sha256
    assert_nil plan["rack"].sha256
    assert_equal({ "sha512" => "b" * 128 }, plan["rack"].digests)
    assert_empty plan["racc"].digests
    assert_equal ["nokogiri-1.15"], plan["nokogiri"].alternatives
    assert_empty plan["bundler-audit"].dependencies
  end

  def test_missing_sha256_among_other_digests_is_reported
    assert_equal ["CHECKSUMS has another digest than SHA-256 for rack-3"], planner.plan.warnings
  end

  def test_groups
    gemfile = facts(%w[rack default], %w[nokogiri test], %w[billing docs], %w[bundler-audit test development])
    expected = {
      {} => %w[billing bundler-audit inner nokogiri racc rack],
      { without: [:test] } => %w[billing bundler-audit inner rack],
      { without: %i[test development docs] } => %w[inner rack],
      { only: [:test] } => %w[bundler-audit nokogiri racc],
      { without: [:test], with: [:test] } => %w[billing bundler-audit inner nokogiri racc rack]
    }
    expected.each { |settings, names| assert_equal names, names_of(gemfile, settings), settings }
  end

  def test_optional_groups
    gemfile = facts(%w[rack default], %w[billing docs], optional: [:docs])
    assert_equal %w[inner rack], names_of(gemfile, {})
    assert_equal %w[billing inner rack], names_of(gemfile, { with: ["docs"] })
  end

  def test_dependencies_of_other_platforms_need_not_be_locked
    gemfile = Facts.new([{ name: "wdm", groups: [:default], platforms_ok: false },
                         { name: "rack", groups: [], platforms_ok: true }])
    assert_equal %w[inner rack], names_of(gemfile, {})
  end

  def test_forced_ruby_platform
    assert_equal "nokogiri-1.15", planner(settings: { force_ruby_platform: true }).plan["nokogiri"].full_name
    one = Facts.new([{ name: "nokogiri", groups: [:default], platforms_ok: true, force_ruby_platform: true }])
    assert_equal %w[mini_portile2 nokogiri], names_of(one, {})
  end

  def test_next_variant_where_the_best_does_not_fit
    unfit = ["nokogiri-1.15-x86_64-linux"]
    plan = planner(unfit: unfit).plan
    assert_equal "nokogiri-1.15", plan["nokogiri"].full_name
    assert plan["mini_portile2"]
    assert_nil plan["racc"]
    assert_equal unfit, [planner(unfit: unfit, settings: { frozen: true }).plan["nokogiri"].full_name]
  end

  def test_libc_in_a_platform_needs_a_rubygems_that_reads_it
    lock = LOCK.gsub("x86_64-linux)", "x86_64-linux-gnu)")
    chosen = ->(version, **rest) { planner(lock, rubygems_version: version, **rest).plan["nokogiri"].platform }
    assert_equal %w[ruby x86_64-linux-gnu x86_64-linux-gnu], %w[3.3.15 3.3.22 3.6.9].map(&chosen)
    assert_equal "x86_64-linux-gnu", chosen.call("3.3.15", settings: { frozen: true })
    assert_equal "x86_64-linux-gnu",
                 planner(RUBY_ONLY.gsub("nokogiri (1.15)", "nokogiri (1.15-x86_64-linux-gnu)"),
                         rubygems_version: "3.3.15").plan["nokogiri"].platform
  end

  def test_gem_that_is_not_locked
    error = assert_raises(Spate::Planner::MissingGem) { planner(gemfile: facts(%w[absent default])).plan }
    assert_equal [4, "absent"], [error.exit_code, error.name]
    assert_equal "Gemfile.lock does not have the gem absent, which the Gemfile needs", error.message
    assert_match(/spate lock/, error.hint)
  end

  def test_needed_gem_that_is_not_locked
    lock = LOCK.sub("    inner (1)\n", "")
    error = assert_raises(Spate::Planner::MissingGem) { planner(lock, gemfile: facts(%w[rack default])).plan }
    assert_match(/the gem inner, which rack needs/, error.message)
  end

  def test_no_variant_for_this_machine
    lock = LOCK.sub("    nokogiri (1.15)\n      mini_portile2\n", "")
               .sub("    nokogiri (1.15-x86_64-linux)\n", "    gone (1)\n")
    error = assert_raises(Spate::Planner::MissingVariant) { planner(lock, gemfile: facts(%w[nokogiri default])).plan }
    assert_equal "Gemfile.lock has nokogiri 1.15 for arm64-darwin only; this machine is x86_64-linux", error.message
    assert_match(/--add-platform x86_64-linux/, error.hint)
  end

  def test_platform_that_is_not_locked
    lock = LOCK.sub("  ruby\n  x86_64-linux\n", "  arm64-darwin\n")
    error = assert_raises(Spate::Planner::MissingPlatform) { planner(lock, gemfile: facts(%w[rack default])).plan }
    assert_match(/locked for arm64-darwin; this machine is x86_64-linux/, error.message)
    assert_equal 4, error.exit_code
    assert_includes planner(lock).plan.packages.map(&:name), "rack"
  end

  def test_old_lockfile_without_platforms
    error = assert_raises(Spate::Planner::MissingPlatform) do
      planner("--- \nspecs: \n- rack: \n    version: 1.0.1\n", gemfile: facts(%w[rack default])).plan
    end
    assert_match(/no platform/, error.message)
  end

  def test_debian_reads_linux_gnu_as_linux
    plan = planner(platform: Spate::Platform.parse("x86_64-linux-gnu"), gemfile: facts(%w[nokogiri default])).plan
    assert_equal "nokogiri-1.15-x86_64-linux", plan["nokogiri"].full_name
  end

  def test_circular_dependencies_end
    lock = "GEM\n  specs:\n    a (1)\n      b\n    b (1)\n      a\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  a\n"
    assert_equal %w[a-1 b-1], planner(lock).plan.packages.map(&:full_name)
  end

  RUBY_ONLY = LOCK.sub("  x86_64-linux\n\nDEP", "\nDEP").gsub(/^    nokogiri \(1.15-.*\n/, "")
                  .sub("      racc (~> 1)\n", "").freeze

  def test_lockfile_for_ruby_only_queries_the_source
    asked = []
    [planner(available: offer(asked)),
     planner(RUBY_ONLY, available: offer(asked), settings: { force_ruby_platform: true })].each(&:plan)
    assert_empty asked
    plan = planner(RUBY_ONLY, available: offer(asked)).plan
    package = plan["nokogiri"]
    assert_equal ["nokogiri-1.15-x86_64-linux", nil, ["nokogiri-1.15"]],
                 [package.full_name, package.sha256, package.alternatives]
    assert_match(/names only the platform ruby.*nokogiri-1.15-x86_64-linux/, plan.warnings.first)
    assert_equal %w[bundler-audit inner mini_portile2 nokogiri rack], asked.sort
  end

  def test_unsuitable_offer_keeps_the_locked_variant
    [{ ruby: ">= 9" }, { rubygems: ">= 3.3.22" }, { ruby: ">= 2.7&< 3.1.dev" }].each do |misfit|
      plan = planner(RUBY_ONLY, available: offer([], **misfit), rubygems_version: "3.3.15", ruby_version: "3.1.2").plan
      assert_equal "nokogiri-1.15", plan["nokogiri"].full_name, misfit
    end
    plan = planner(RUBY_ONLY, available: offer([]), unfit: ["nokogiri-1.15-x86_64-linux"]).plan
    assert_equal "nokogiri-1.15", plan["nokogiri"].full_name
  end

  # As in Bundler, a variant with a content address comes before ordinary variants of any platform.
  def test_a_content_address_comes_before_all_other_variants
    lock = LOCK.sub("    nokogiri (1.15-x86_64-linux)\n", "    nokogiri (1.15-x86_64-linux-gnu)\n\\0")
    new = { rubygems_version: "4.1.0" }
    lock += "\nCONTENT ADDRESSES\n  nokogiri (1.15-x86_64-linux-gnu) 78be552b\n"

    assert_equal ["nokogiri-1.15-78be552b", "x86_64-linux-gnu"],
                 planner(lock, **new).plan["nokogiri"].then { |package| [package.full_name, package.platform] }
    assert_equal "nokogiri-1.15-x86_64-linux",
                 planner(lock, **new, unfit: ["nokogiri-1.15-78be552b"]).plan["nokogiri"].full_name
  end

  def test_only_the_content_address_for_this_ruby_is_chosen
    address = { content_address: "78be552b", ruby: ["~> 3.4.0"], rubygems: [">= 4.1.0.a"] }
    available = lambda do |*asked|
      offer([]).call(*asked).flat_map do |row|
        row[:platform] == "x86_64-linux" ? [row, row.merge(address), row] : row
      end
    end
    names = [%w[3.4.5 4.1.0], %w[3.3.9 4.1.0], %w[3.4.5 4.0.9]].map do |ruby, rubygems|
      planner(RUBY_ONLY, available: available, ruby_version: ruby,
                         rubygems_version: rubygems).plan["nokogiri"].full_name
    end

    assert_equal %w[nokogiri-1.15-78be552b nokogiri-1.15-x86_64-linux nokogiri-1.15-x86_64-linux], names
  end

  def test_locked_variants_are_kept_without_an_offer
    assert_equal "nokogiri-1.15", planner(RUBY_ONLY).plan["nokogiri"].full_name
  end

  def test_version_of_rubygems_without_loading_it
    script = 'require "spate"; puts Spate::Planner::Running.new(RUBY_VERSION).rubygems_version; p defined?(Gem)'
    out = IO.popen([RbConfig.ruby, "--disable-gems", "-I#{File.expand_path("../lib", __dir__)}", "-e", script], &:read)
    assert_equal [Gem::VERSION, "nil"], out.lines(chomp: true)
  end

  def test_default_gems
    path = Dir["#{Gem.default_specifications_dir}/*.gemspec"].min
    full_name = File.basename(path, ".gemspec")
    name, _, version = full_name.rpartition("-")
    package = ->(number) { Spate::Package.new(name: name, version: number, platform: "ruby", source: nil) }
    assert_predicate package.call(version), :default_gem?
    refute_predicate package.call("#{version}.99"), :default_gem?
  end

  private

  def planner(lock = LOCK, settings: {}, platform: LINUX, **options)
    Spate::Planner.new(lockfile: Spate::Lockfile.parse(lock), settings: Settings.new(settings), platform: platform,
                       **options)
  end

  def names_of(gemfile, settings) = planner(gemfile: gemfile, settings: settings).plan.packages.map(&:name).sort

  # rows: [name, group, ...]
  def facts(*rows, optional: [])
    Facts.new(rows.map { |name, *groups| { name: name, groups: groups.map(&:to_sym), platforms_ok: true } }, optional)
  end

  def offer(asked, **requirements)
    lambda do |name, _source|
      asked << name
      next [] unless name == "nokogiri"

      [{ version: "1.15", platform: "ruby" }, { version: "1.15", platform: "java" },
       { version: "1.15", platform: "x86_64-linux", **requirements },
       { version: "1.16", platform: "x86_64-linux" }]
    end
  end
end
