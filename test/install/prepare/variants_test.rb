# frozen_string_literal: true

require "test_helper"
require "support/newest_bundler"
require "support/project"

# Which platform variant of a gem is installed, and which alternative if the best one does not fit.
class VariantsTest < Minitest::Test
  LOCAL = Spate::Platform.local.to_s.delete_suffix("-gnu")

  def setup
    @source = GemSource.start
    @source.add("multi", "1.0", files: { "lib/multi.rb" => "VARIANT = 'ruby'\n" })
  end

  def teardown
    @source.stop
    super
  end

  def project(platforms, name: "app", home: File.join(folder, "home"), bundler: "2.3.15")
    app = Spate::TestProject.new(File.join(folder, name), "source '#{@source.url}'\ngem 'multi'\n", home: home)
    variants = platforms.map { |platform| platform == "ruby" ? "    multi (1.0)\n" : "    multi (1.0-#{platform})\n" }
    File.write(app.path("Gemfile.lock"), <<~LOCK)
      GEM
        remote: #{@source.url}
        specs:
      #{variants.join}
      PLATFORMS
      #{platforms.map { |platform| "  #{platform}\n" }.join}
      DEPENDENCIES
        multi

      BUNDLED WITH
         #{bundler}
    LOCK
    app
  end

  def test_the_variant_of_this_platform_is_installed
    @source.add("multi", "1.0", platform: LOCAL, files: { "lib/multi.rb" => "VARIANT = 'local'\n" })
    app = project(["ruby", LOCAL])
    app.spate!("install")

    assert_equal ["multi-1.0-#{LOCAL}"], app.installed
    assert_match(/satisfied/, app.bundle("check"))
  end

  def test_variant_for_a_newer_ruby_is_not_used
    @source.add("multi", "1.0", platform: LOCAL, ruby: ">= 99")
    app = project(["ruby", LOCAL])
    output = app.spate!("install")

    assert_equal ["multi-1.0"], app.installed
    assert_match(/multi-1\.0-#{LOCAL} does not fit/, output)
    refute_match(/does not fit/, app.spate!("install"), "the choice is cached")
  end

  # [lockfile's variants, source's variants, whether the best one needs a newer RubyGems, whether frozen] => the variant
  # that Spate installs with RubyGems before 3.3.22, or its exit code. Bundler has the same result.
  GNU = "#{LOCAL}-gnu".freeze
  MUSL = "#{LOCAL}-musl".freeze
  OLD_RUBYGEMS = {
    [[GNU], [GNU, "ruby"], true, false] => %w[multi-1.0],
    [[GNU], [GNU, "ruby"], true, true] => 15,
    [[GNU], [GNU], true, false] => 5,
    [[GNU], [GNU], false, true] => 15,
    [[GNU, "ruby"], [GNU, "ruby"], true, false] => %w[multi-1.0],
    [[GNU, "ruby"], [GNU, "ruby"], true, true] => 15,
    [[GNU, MUSL], [GNU, MUSL, "ruby"], true, false] => %w[multi-1.0],
    [[GNU, MUSL], [GNU, MUSL, "ruby"], true, true] => 15,
    [[MUSL], [MUSL, "ruby"], true, false] => %w[multi-1.0],
    [[MUSL], [MUSL], true, false] => 5,
    [[LOCAL, "ruby"], [GNU, "ruby"], true, false] => %w[multi-1.0]
  }.freeze

  OLD_RUBYGEMS.each do |(locked, offered, asks, frozen), expected|
    ways = [locked.join(" "), "of", offered.join(" "), ("without a requirement" unless asks), ("frozen" if frozen)]
    define_method("test_old_rubygems_#{ways.compact.join("_").tr(" -", "__")}") do
      skip "RubyGems #{Gem::VERSION} distinguishes musl and glibc" if Gem.rubygems_version >= Gem::Version.new("3.3.22")
      skip "no Bundler in #{NewestBundler::HOME}: bin/setup fetches it" unless NewestBundler.folder

      @source.catalog.yank("multi-1.0") unless offered.include?("ruby")
      offered.grep_v("ruby").each do |platform|
        @source.add("multi", "1.0", platform: platform, rubygems: (">= 3.3.22" if asks))
      end
      compare_with_bundler(locked, expected, frozen)
    end
  end

  def compare_with_bundler(locked, expected, frozen)
    env = { **NewestBundler.environment, BUNDLE_VERSION: NewestBundler.version, BUNDLE_FROZEN: frozen.to_s }
    mine, theirs = %w[spate bundler].map do |tool|
      project(locked, name: tool, home: File.join(folder, "home-#{tool}"), bundler: NewestBundler.version)
    end
    output, status = mine.spate("install", **env)
    others_output, others = theirs.run("bundle", "install", **env)
    if expected.is_a?(Integer)
      assert_equal expected, status.exitstatus, output
      refute_predicate others, :success?, others_output
      assert_match(/RubyGems >= 3\.3\.22|needs a newer RubyGems|rubygems version >= 3\.3\.22|matching 'multi'/, output)
    else
      assert_equal expected, mine.installed, output
      assert_equal expected, theirs.installed, others_output
      assert_match(/satisfied/, mine.bundle("check", **env))
    end
  end

  def test_lockfile_of_another_platform_is_not_reported_as_a_ruby_mismatch
    app = project(%w[java])
    output, status = app.spate("install", "--frozen")

    assert_equal 4, status.exitstatus, output
    assert_match(/java.*bundle lock --add-platform #{Gem::Platform.local}/m, output)
    assert_match(/^hint: /, output)
    app.spate!("install")

    assert_equal %w[multi-1.0], app.installed
  end

  def test_no_variant_fits
    @source.add("only", "1.0", ruby: ">= 99")
    app = Spate::TestProject.new(File.join(folder, "app"), "source '#{@source.url}'\ngem 'only'\n")
    File.write(app.path("Gemfile.lock"), "GEM\n  remote: #{@source.url}\n  specs:\n    only (1.0)\n\n" \
                                         "PLATFORMS\n  ruby\n\nDEPENDENCIES\n  only\n")
    output, status = app.spate("install", BUNDLE_FROZEN: "true")

    assert_equal 15, status.exitstatus, output
    assert_match(/only-1\.0 requires Ruby >= 99, this is Ruby #{RUBY_VERSION}/, output)
    assert_empty Dir.glob("#{app.bundle_root}/{gems,specifications}/*")
  end

  def test_lockfile_for_ruby_only_uses_the_variants_of_the_source_and_queries_once
    @source.add("multi", "1.0", platform: LOCAL, files: { "lib/multi.rb" => "VARIANT = 'local'\n" })
    app = project(%w[ruby])
    output = app.spate!("install")

    assert_equal ["multi-1.0-#{LOCAL}"], app.installed
    assert_match(/names only the platform ruby/, output)
    @source.forget_requests
    FileUtils.rm_rf(app.path("vendor"))
    app.spate!("install")

    assert_equal [["/versions", true]],
                 @source.requests.map { |asked| [asked.path, asked.headers.key?("if-none-match")] }
  end

  def test_requirement_with_several_parts_is_stored_completely
    @source.add("multi", "1.0", platform: LOCAL, ruby: ["!= 1", "< #{RUBY_VERSION.next}"])
    app = project(%w[ruby])
    app.spate!("install")
    FileUtils.rm_rf(app.path("vendor"))
    app.spate!("install")

    assert_equal ["multi-1.0-#{LOCAL}"], app.installed
  end

  def test_local_takes_the_variant_that_vendor_cache_has
    @source.add("multi", "1.0", platform: LOCAL, files: { "lib/multi.rb" => "VARIANT = 'local'\n" })
    app = project(%w[ruby])
    FileUtils.mkdir_p(app.path("vendor/cache"))
    FileUtils.cp(@source.catalog.archive("multi-1.0.gem"), app.path("vendor/cache"))
    app.spate!("install", "--local")

    assert_equal ["multi-1.0"], app.installed
    assert_empty @source.requests
  end

  def test_a_frozen_bundle_takes_the_variant_that_vendor_cache_has
    @source.add("multi", "1.0", platform: LOCAL, files: { "lib/multi.rb" => "VARIANT = 'local'\n" })
    mine, others = %w[spate bundler].map do |tool|
      app = project(%w[ruby], name: tool)
      FileUtils.mkdir_p(app.path("vendor/cache"))
      FileUtils.cp(@source.catalog.archive("multi-1.0.gem"), app.path("vendor/cache"))
      app
    end
    others.bundle("install", BUNDLE_FROZEN: "true")
    mine.spate!("install", BUNDLE_FROZEN: "true")

    assert_equal [["multi-1.0"]] * 2, [others, mine].map(&:installed)
  end
end
