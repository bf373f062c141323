# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "support/newest_bundler"

class PlatformTest < Minitest::Test
  CPUS = %w[x86_64 x86 i686 x64 arm arm64 armv7l aarch64 universal java].freeze
  SYSTEMS = %w[linux linux-musl linux-gnu linux-gnueabihf linux-musleabihf linux-uclibc linuxmusl darwin darwin-19
               darwin22 mingw32 mingw mingw-ucrt mswin32 mswin32-60 mswin32_80 mswin64 mswin64-140 freebsd freebsd12
               openbsd7.1 openbsd solaris2.8 solaris netbsdelf aix7 cygwin unknown java java-11 java-1.8 wasi].freeze
  ALONE = %w[ruby java jruby mswin32 mswin64 dotnet dotnet-2.0 dalvik dalvik8 macruby linux darwin current- - -linux
             x86_64- x86_64-linux- plan9 universal-java-11].freeze
  NAMES = (CPUS.product(SYSTEMS).map { |pair| pair.join("-") } + ALONE).freeze
  # Platform names that Ruby reports.
  LOCALS = %w[x86_64-linux x86_64-linux-gnu x86_64-linux-musl aarch64-linux aarch64-linux-gnu aarch64-linux-musl
              armv7l-linux-gnueabihf armv7l-linux-musleabihf x86_64-darwin22 arm64-darwin23 x64-mingw-ucrt x64-mingw32
              i386-mingw32 x64-mswin64_140 java universal-java-11 x86_64-freebsd13 i686-linux ruby].freeze

  def test_against_the_rubygems_and_bundler_of_this_machine
    compare(ask, exact_libc: false)
  end

  def test_against_a_given_bundler
    version = NewestBundler.version or skip "no other Bundler: bin/setup could not fetch one"
    compare(ask("gem 'bundler', '#{version}'; ", NewestBundler.environment), exact_libc: false)
  end

  # The newest RubyGems distinguishes glibc and musl. Its class has no dependencies, so any Ruby can load it.
  def test_against_the_newest_rubygems
    compare(ask("", "ORACLE_RUBYGEMS" => newest_rubygems), exact_libc: true)
  end

  def test_local_equals_rbconfig
    expected = Gem::Platform.local.to_s
    assert_equal expected, Spate::Platform.local.to_s.sub(/-gnu\z/, expected.end_with?("-gnu") ? "-gnu" : "")
  end

  def test_local_is_the_same_without_rbconfig
    script = 'require "spate"; puts Spate::Platform.local; p defined?(RbConfig)'
    out = IO.popen([RbConfig.ruby, "--disable-gems", "-I#{File.expand_path("../lib", __dir__)}", "-e", script], &:read)
    assert_equal [Spate::Platform.from_arch(RbConfig::CONFIG["arch"]).to_s, "nil"], out.lines(chomp: true)
  end

  def test_local_of_other_machines
    assert_equal "x64-mswin64-60", Spate::Platform.from_arch("x64-mswin64").to_s
    assert_equal "arm64-darwin-23", Spate::Platform.from_arch("universal-darwin23", "universal.arm64e-darwin23").to_s
    assert_equal "x86_64-darwin-19", Spate::Platform.from_arch("universal-darwin19", "universal.x86_64-darwin19").to_s
    assert_equal "universal-java-11", Spate::Platform.from_arch("universal-java-11", "java").to_s
  end

  def test_same_name_same_object
    assert_same Spate::Platform.parse("x86_64-linux"), Spate::Platform.parse("x86_64-linux")
    assert_same Spate::Platform::RUBY, Spate::Platform.parse("ruby")
    assert_equal Spate::Platform.parse("i686-linux"), Spate::Platform.parse("x86-linux")
    assert_equal 1, [Spate::Platform.parse("i686-linux"), Spate::Platform.parse("x86-linux")].uniq.size
  end

  def test_generic
    expected = { "x86_64-linux" => "ruby", "ruby" => "ruby", "universal-java-11" => "java", "x64-mingw-ucrt" => true,
                 "x64-mingw32" => true, "arm64-darwin-22" => "ruby" }
    expected.each do |name, generic|
      found = Spate::Platform.parse(name).generic.to_s
      generic == true ? refute_equal("ruby", found, name) : assert_equal(generic, found, name)
    end
  end

  def test_best_returns_the_closest_variants
    spec = Struct.new(:platform, :content_address)
    specs = %w[ruby x86_64-linux-musl x86_64-linux-gnu java].map { |name| spec.new(name) }
    best = lambda do |local, from = specs|
      Spate::Platform::Choice.new(Spate::Platform.parse(local)).sorted(from).first&.platform
    end
    assert_equal %w[x86_64-linux-gnu x86_64-linux-musl java ruby ruby],
                 %w[x86_64-linux x86_64-linux-musl java arm64-darwin-23 ruby].map(&best)
    assert_nil best.call("x86_64-linux", [spec.new("java")])
  end

  private

  def ask(prelude = "", environment = {})
    script = "#{prelude}load ARGV[0]"
    out, err, status = Open3.capture3({ "RUBYOPT" => nil, "BUNDLE_GEMFILE" => nil }.merge(environment), RbConfig.ruby,
                                      *("--disable-gems" if environment.key?("ORACLE_RUBYGEMS")), "-e", script,
                                      File.expand_path("platform/oracle.rb", __dir__),
                                      stdin_data: Marshal.dump([NAMES, cases]), binmode: true)
    assert_predicate status, :success?, err
    Marshal.load(out) # rubocop:disable Security/MarshalLoad -- from this test's child process
  end

  # [[names of variants], name of the local platform], the same in each run.
  def cases
    @cases ||= begin
      random = Random.new(20_260_101)
      Array.new(1500) { [NAMES.sample(random.rand(1..40), random: random).uniq, LOCALS.sample(random: random)] } +
        LOCALS.map { |local| [NAMES, local] }
    end
  end

  # Older classes drop "gnu" when they parse a name, and support fewer systems, so this skips names that they parse
  # differently. If they do not distinguish musl and glibc, it also skips names with a libc, of Windows and of 32-bit
  # ARM.
  def compare(answer, exact_libc:)
    same = NAMES.each_index.select { |index| parsed(NAMES[index]) == answer[:parsed][index] }
    same.reject! { |index| NAMES[index].match?(/linux-?\w|mingw|\Aarm-/) } if libc_ignored?(answer)
    exact_libc ? assert_equal(NAMES.size, same.size, unlike(answer)) : assert_operator(same.size, :>, 150)
    assert_empty wrong_matches(answer, same).first(5)
    assert_empty wrong_choices(answer, same.to_h { |index| [NAMES[index], true] }).first(5)
  end

  def libc_ignored?(answer)
    glibc, musl = %w[x86_64-linux x86_64-linux-musl].map { |name| NAMES.index(name) }
    answer[:matches][musl][glibc]
  end

  def parsed(name)
    platform = Spate::Platform.parse(name)
    platform.ruby? ? ["ruby"] : [platform.cpu, platform.os, platform.version, platform.to_s]
  end

  def unlike(answer)
    NAMES.zip(answer[:parsed]).reject { |name, found| parsed(name) == found }.first(5).inspect
  end

  def wrong_matches(answer, indexes)
    wrong = indexes.product(indexes).reject do |gem, local|
      mine = Spate::Platform.parse(NAMES[gem]).match?(Spate::Platform.parse(NAMES[local]))
      mine == answer[:matches][gem][local]
    end
    wrong.map { |pair| NAMES.values_at(*pair) }
  end

  def wrong_choices(answer, known)
    spec = Struct.new(:platform, :index, :content_address)
    cases.zip(answer[:best]).select { |(_, local), _| known[local] }.reject do |(names, local), best|
      next true unless names.all?(known) || names == NAMES

      specs = names.each_with_index.filter_map { |name, index| spec.new(name, index) if known[name] }
      choice = Spate::Platform::Choice.new(Spate::Platform.parse(local))
      closest = choice.closest(specs)
      best.select! { |index| known[names[index]] }
      exact = closest.select { |it| Spate::Platform.parse(it.platform) == Spate::Platform.parse(local) }
      (exact.any? ? exact : closest).map(&:index) == best && choice.sorted(specs).first&.index == best.first
    end
  end

  def newest_rubygems
    _, err, status = Open3.capture3("gem", "fetch", "rubygems-update", chdir: folder)
    skip "rubygems-update cannot be fetched: #{err.lines.last}" unless status.success?

    archive = Dir["#{folder}/rubygems-update-*.gem"].fetch(0)
    assert system("gem", "unpack", archive, chdir: folder, out: File::NULL)
    "#{archive.delete_suffix(".gem")}/lib".tap { |path| assert File.exist?("#{path}/rubygems/platform.rb"), path }
  end
end
