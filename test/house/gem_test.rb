# frozen_string_literal: true

require "test_helper"
require "open3"
require "rubygems/package"
require "support/hasty_compiler"

# The built gem has exactly the needed files, and works after its installation into an empty GEM_HOME.
class GemTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  RUBY = RbConfig.ruby

  def run_in(dir, *command, env: {})
    Open3.capture2e({ "RUBYOPT" => nil, "RUBYLIB" => nil, **env }, *command, chdir: dir, stdin_data: "")
  end

  def build
    path = File.join(folder, "spate.gem")
    output, status = run_in(ROOT, RUBY, "-S", "gem", "build", "spate.gemspec", "--output", path)
    assert_predicate status, :success?, output
    path
  end

  def home = File.join(folder, "gems")

  def environment
    { "GEM_HOME" => home, "GEM_PATH" => home, "HOME" => folder, "SPATE_HOME" => File.join(folder, "spate"),
      "MAKEFLAGS" => "-j2", "PATH" => HastyCompiler.path("#{folder}/hasty") }
  end

  def install(gem, **env)
    run_in(folder, RUBY, "-S", "gem", "install", "--local", "--no-document", "--bindir", "#{folder}/bin", gem,
           env: environment.merge(env.transform_keys(&:to_s)))
  end

  def test_it_installs_and_runs_through_rubygems_and_through_its_launcher
    output, status = install(build)
    assert_predicate status, :success?, output

    assert_match(/\Aspate #{Spate::VERSION} \(/,
                 run_in(folder, RUBY, "#{folder}/bin/spate", "version", env: environment).first)
    output, = run_in(folder, RUBY, "#{folder}/bin/spate", "setup", "--dir", "#{folder}/first", env: environment)
    assert_match(%r{wrote #{folder}/first/spate}, output)
    assert_match(/\Aspate #{Spate::VERSION} \(/, run_in(folder, "#{folder}/first/spate", "version").first)
    assert_front_end_answers
    run_in(folder, RUBY, "-S", "gem", "uninstall", "-x", "--bindir", "#{folder}/bin", "spate", env: environment)
    assert_match(/no gem spate is installed/, run_in(folder, "#{folder}/first/spate", "version").first)
  end

  # Asserts that the installed gem's front end runs commands without Ruby: for its installer, another user and RubyGems'
  # wrapper.
  def assert_front_end_answers
    return unless Spate::CLI::Setup::FrontEnd.compiled && Process.uid.zero?

    File.chmod(0o755, folder)
    [0, 65_534].each do |user|
      app = File.dirname(write("user#{user}/app/Gemfile", ""))
      run_in(app, RUBY, "-S", "bundle", "lock", env: environment)
      FileUtils.chown_R(user, user, File.dirname(app))
      as = ["setpriv", "--reuid=#{user}", "--regid=#{user}", "--clear-groups"]
      assert_match(/0 gems in place/, run_as(app, *as, RUBY, "#{folder}/bin/spate", "install"))
      assert_equal [], programs_until_answered(app, *as)
    end
  end

  def run_as(app, *command, **more)
    own = %w[XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME TMPDIR].to_h { |name| [name, nil] }
    env = environment.merge("HOME" => File.dirname(app), **own, "SPATE_HOME" => nil, "SPATE_NO_OWN_CODE" => "1",
                            "SPATE_BOOT_BACKGROUND" => nil, "CI" => nil, "BUNDLE_PATH" => "vendor/bundle", **more)
    output, status = run_in(app, *command, env: env)
    assert_predicate status, :success?, output
    output
  end

  # Repeats an install until the front end starts no program, for up to three minutes. Returns the programs of the last
  # run.
  def programs_until_answered(app, *before)
    trace = File.join(app, "trace")
    give_up = Time.now + 180 # after a change it waits for a minute
    loop do
      run_as(app, *before, "strace", "-f", "-qq", "-e", "trace=execve", "-o", trace, "#{folder}/first/spate", "install")
      programs = File.readlines(trace).grep(/ = 0$/).map { |line| line[/execve\("(.*?)"/, 1] }.drop(1)
      return programs if programs.empty? || Time.now > give_up
    end
  end

  def test_gem_works_with_zlib_alone
    output, status = install(build, SPATE_LIBDEFLATE: "0")
    assert_predicate status, :success?, output

    assert_match(/\(zlib [\d.]+, /, run_in(folder, RUBY, "#{folder}/bin/spate", "version", env: environment).first)
    library = Dir["#{home}/gems/*/lib/spate/native/install.so"].first
    refute_match(/libdeflate/, run_in(folder, "ldd", library).first)
  end

  def test_gem_has_exactly_the_needed_files
    gem = build
    names, = run_in(folder, "sh", "-c", "tar -xOf #{gem} data.tar.gz | tar -tz")
    names = names.lines(chomp: true)

    assert_includes names, "lib/spate.rb"
    assert_includes names, "core/store/store.c"
    assert_includes names, "ext/spate/install/extconf.rb"
    action = ".github/actions/setup-spate/action.yml" # `spate setup` copies it
    assert_equal [action], names.grep(%r{\A(test|tmp|benchmark|build|\.)|core/test|\.(so|o)\z})
    specification = Gem::Package.new(gem).spec
    assert_empty specification.runtime_dependencies
    assert_equal ["MIT"], specification.licenses
    assert_equal Gem::Requirement.new(">= 3.1"), specification.required_ruby_version
  end

  # A pkg-config that does not find the library simulates a machine without it.
  def test_a_missing_library_is_named_with_its_package
    { "zlib" => "zlib1g-dev", "libcrypto" => "libssl-dev" }.each do |library, package|
      others = %w[zlib libcrypto libdeflate] - [library]
      files = others.to_h { |name| [name, `pkg-config --variable=pcfiledir #{name}`.strip] }
      folder = write("pc-#{library}/.keep", "").then { |path| File.dirname(path) }
      files.each { |name, dir| FileUtils.cp(Dir["#{dir}/#{name}.pc"], folder) }
      output, status = run_in(folder, RUBY, File.join(ROOT, "ext/spate/install/extconf.rb"),
                              env: { "PKG_CONFIG_LIBDIR" => folder, "PKG_CONFIG_PATH" => nil })

      refute_predicate status, :success?
      assert_match(/^error: #{library} is missing/, output)
      assert_match(/^hint: .*#{package}/, output)
    end
  end
end
