# frozen_string_literal: true

require "test_helper"
require "open3"
require "rubygems/package"
require "support/hasty_compiler"

# The gem as users get it: built and installed into an empty GEM_HOME.
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
    run_in(folder, RUBY, "-S", "gem", "uninstall", "-x", "--bindir", "#{folder}/bin", "spate", env: environment)
    assert_match(/no gem spate is installed/, run_in(folder, "#{folder}/first/spate", "version").first)
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
    assert_empty names.grep(%r{\A(test|tmp|benchmark|build|\.)|core/test|\.(so|o)\z})
    specification = Gem::Package.new(gem).spec
    assert_empty specification.runtime_dependencies
    assert_equal ["MIT"], specification.licenses
    assert_equal Gem::Requirement.new(">= 3.1"), specification.required_ruby_version
  end

  # A pkg-config that finds nothing simulates a machine without the library. Each one is hidden in turn.
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
