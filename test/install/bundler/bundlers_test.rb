# frozen_string_literal: true

require "install/install_case"
require "support/rubygems_release"

# Installs one bundle with all kinds of gems, with `bundle _VERSION_ install` and with Spate. The lockfile names that
# version. Tests the newest Bundler of each minor version: with this machine's RubyGems and a bundle in the application,
# and with the RubyGems that was released with it and a bundle in that RubyGems' folders.
class BundlersTest < InstallCase
  # Files of git that contain times or have no fixed order. Bundler before 2.4 cloned whole repositories.
  VOLATILE = %r{/objects/|/logs/|/\.git/index\z|/hooks/|/FETCH_HEAD\z|/packed-refs\z}
  CLONES = %r{/\.git/|/cache/bundler/git/[^/]+/}
  SETTINGS = "---\n%sBUNDLE_BIN: \"stubs\"\nBUNDLE_WITHOUT: \"left\"\n"
  LOOK = "require 'pure'; require 'native/native'; require 'fast'; require 'twin'; require 'near'; " \
         "puts Bundler::VERSION, Gem::VERSION, $LOAD_PATH.grep(/app-/).map { |path| path[/app-.*/] }.sort"

  %w[2.3 2.6 4.0 4.1].product(["", "_with_its_rubygems"]).each do |line, own|
    define_method("test_bundler_#{line.tr(".", "_")}#{own}") { compare(RubygemsRelease.new(line), !own.empty?) }
  end

  def setup
    super
    @source.add("pure", "1.0", executables: %w[pure], dependencies: { "needed" => "~> 1.0" },
                               files: { "lib/pure.rb" => "require 'needed'\n", "lib/rubygems_plugin.rb" => "# none\n" })
    @source.add("needed", "1.2")
    @source.add("needed", "2.0")
    @source.add("left", "1.0")
    @source.add("native", "0.3", native: true)
    platforms.each { |platform| @source.add("fast", "1.1", platform: platform, executables: %w[fast]) }
    @repository = GemSource::Repository.new("#{folder}/twin")
    @repository.commit({ **GemSource::Repository.gem_files("twin", "1.0", extra: <<~SPEC), **twin })
      spec.executables = ["twin"]
      spec.extensions = ["ext/extconf.rb"]
    SPEC
  end

  private

  def platforms = ["ruby", Spate::Platform.local.to_s.delete_suffix("-gnu"), "x86_64-darwin"]

  def twin
    { "bin/twin" => ["#!/usr/bin/env ruby\nrequire 'twin'\nputs Twin::VERSION\n", 0o755],
      "ext/extconf.rb" => "require 'mkmf'\ncreate_makefile('twin/twin')\n",
      "ext/twin.c" => "void Init_twin(void) {}\n" }
  end

  def compare(release, own_rubygems)
    missing = release.missing and skip missing

    @system = own_rubygems
    @environment = release.environment(rubygems: own_rubygems)
    @version = release.bundler
    @bundle = ["bundle", "_#{@version}_"]
    first = application("app-a")
    lock_or_skip(first)
    second, mine = %w[app-b app-c].map { |name| application(name, lockfile: File.read(first.path("Gemfile.lock"))) }
    [first, second].each { |app| app.run!(*@bundle, "install") }
    mine.spate!("install")
    assert_same(first, second, mine)
    assert_works(first, mine)
  end

  # Locks with that Bundler. If this fails, the Bundler does not support this Ruby.
  def lock_or_skip(app)
    output, status = app.run(*@bundle, "lock")
    skip "Bundler #{@version} does not run on #{RUBY_VERSION}: #{output.lines.first}" unless status.success?

    assert_match(/^BUNDLED WITH\n +#{@version}$/, File.read(app.path("Gemfile.lock")))
  end

  def application(name, lockfile: nil)
    app = Spate::TestProject.new("#{folder}/#{name}", <<~RUBY, home: "#{folder}/home-#{name}", env: environment(name))
      source "#{@source.url}"
      gem "pure"
      gem "native"
      gem "fast"
      gem "twin", git: "#{@repository.url}"
      gem "near", path: "near"
      group(:left) { gem "left" }
    RUBY
    GemSource::Repository.gem_files("near", "0.1", folder: "near").each { |path, text| write("#{name}/#{path}", text) }
    write("#{name}/.bundle/config", format(SETTINGS, ("BUNDLE_PATH: \"vendor/bundle\"\n" unless @system)))
    File.write(app.path("Gemfile.lock"), lockfile) if lockfile
    app
  end

  def environment(name)
    env = { "BUNDLE_PATH" => nil, "BUNDLE_VERSION" => nil, **@environment }
    @system ? { **env, "BUNDLE_PATH__SYSTEM" => "true", "GEM_HOME" => "#{folder}/#{name}/gems" } : env
  end

  def assert_same(first, second, mine)
    expected, other, found = [first, second, mine].map { |app| snapshot(app) }
    root = @system ? "gems" : "vendor/bundle/#{Spate::Layout.ruby_scope}"
    assert_includes expected.keys, "#{root}/specifications/native-0.3.gemspec"
    assert_empty Spate::TreeComparison.differences(expected, found,
                                                   allowed: Spate::TreeComparison.unstable(expected, other))
  end

  def snapshot(app)
    ignored = Gem::Version.new(@version) < "2.4" ? Regexp.union(VOLATILE, CLONES) : VOLATILE
    Spate::TreeComparison.snapshot(app.folder) { |path| path.match?(ignored) }
  end

  def assert_works(theirs, mine)
    assert_match(/satisfied/, mine.run!(*@bundle, "check"))
    assert_match(/nothing to do/, mine.spate!("install"))
    expected = theirs.run!(*@bundle, "exec", "ruby", "-e", LOOK)

    assert_equal expected.gsub("app-a", "app-c"), mine.run!(*@bundle, "exec", "ruby", "-e", LOOK)
    2.times { assert_equal expected.gsub("app-a", "app-c"), mine.spate!("exec", "ruby", "-e", LOOK) }
    %w[pure fast twin].each { |name| assert_equal theirs.run!(*@bundle, "exec", name), mine.spate!("exec", name) }
  end
end
