# frozen_string_literal: true

require "install/install_case"

# Bundler's settings, and all kinds of sources. After each install the real Bundler must find the gems.
class BundlerSettingsTest < InstallCase
  ARGUMENTS = "gems/native-1.0/ext/native/arguments.txt"

  def setup
    super
    @source.add("base", "1.0")
    @source.add("tool", "1.0", executables: %w[tool], dependencies: { "base" => ">= 1" })
    @source.add("late", "1.0")
    @source.add("native", "1.0", native: true, files: { "lib/native.rb" => "", "ext/native/extconf.rb" => <<~RUBY })
      File.write("Makefile", "all:\\ninstall:\\nclean:\\n")
      File.write("arguments.txt", ARGV.join(" "))
    RUBY
  end

  def test_vendor_cache_without_a_network
    project = vendored("tool-1.0", "base-1.0", gems: %w[tool])
    offline { assert_installs(project, "base-1.0", "tool-1.0", options: %w[--local]) }
    assert_happy(project, "tool")
  end

  def test_vendor_cache_with_checksums
    sums = %w[tool-1.0 base-1.0].to_h { |name| [name, @source.catalog.entry(name).sha256] }
    project = vendored("tool-1.0", "base-1.0", gems: %w[tool], checksums: sums)
    offline { assert_installs(project, "base-1.0", "tool-1.0", options: %w[--local]) }
  end

  def test_vendor_cache_that_differs_from_the_checksums
    project = vendored("tool-1.0", "base-1.0", gems: %w[tool], checksums: { "base-1.0" => "2" * 64 })
    offline { assert_fails(project, 7, "base-1.0", "2" * 64, options: %w[--local]) }
    assert_empty Dir.glob("#{project.bundle_root}/{gems,specifications}/base*")
  end

  def test_vendor_cache_with_another_gem_under_the_name
    project = vendored("tool-1.0", gems: %w[tool])
    FileUtils.cp(archive("late-1.0"), project.path("vendor/cache/base-1.0.gem"))
    offline { assert_fails(project, 8, "base-1.0", "late-1.0", options: %w[--local]) }
    refute_includes children("#{project.bundle_root}/gems"), "base-1.0"
  end

  def test_local_without_the_gems
    project = app(gems: %w[tool])
    @source.forget_requests
    assert_fails(project, 14, "--local", options: %w[--local])
    assert_empty @source.requests
  end

  def test_deployment
    project = app(gems: %w[tool])
    assert_installs(project, "base-1.0", "tool-1.0", BUNDLE_DEPLOYMENT: "true", BUNDLE_PATH: nil)
    File.write(project.path("Gemfile"), "#{File.read(project.path("Gemfile"))}gem 'late'\n")
    assert_fails(project, 4, "late", BUNDLE_DEPLOYMENT: "true", BUNDLE_PATH: nil)
  end

  def test_groups
    text = "source '#{@source.url}'\ngem 'base'\ngroup(:test) { gem 'tool' }\n" \
           "group(:docs, optional: true) { gem 'late' }\n"
    { {} => %w[base tool], { BUNDLE_WITHOUT: "test" } => %w[base], { BUNDLE_WITH: "docs" } => %w[base late tool],
      { BUNDLE_ONLY: "test" } => %w[base tool], { BUNDLE_WITHOUT: "default:test" } => [] }
      .each_with_index do |(settings, names), number|
        project = app("app#{number}", gems: %w[base tool late])
        File.write(project.path("Gemfile"), text)
        assert_installs(project, **settings)
        found = children("#{project.bundle_root}/specifications")
        assert_equal names.map { |name| "#{name}-1.0.gemspec" }, found, settings.to_s
        assert_match(/satisfied/, project.bundle("check", **settings))
      end
  end

  def test_build_arguments
    project = app(gems: %w[native])
    assert_installs(project, "native-1.0", BUNDLE_BUILD__NATIVE: "--with-this --with-that=1")
    info = "#{project.bundle_root}/build_info/native-1.0.info"

    assert_equal "--with-this --with-that=1", File.read("#{project.bundle_root}/#{ARGUMENTS}")
    assert_equal %w[--with-this --with-that=1], File.readlines(info, chomp: true)
    other = app("other", gems: %w[native])
    assert_installs(other, "native-1.0")
    assert_equal "", File.read("#{other.bundle_root}/#{ARGUMENTS}")
    assert_match(/satisfied/, other.bundle("check"))
  end

  def test_force_ruby_platform
    @source.add("both", "1.0", files: { "lib/both.rb" => "BOTH = :ruby\n" })
    local = Gem::Platform.local.to_s
    @source.add("both", "1.0", platform: local, files: { "lib/both.rb" => "BOTH = :local\n" })
    { "true" => "ruby", nil => "local" }.each do |value, expected|
      project = app("force-#{expected}", gems: %w[both], BUNDLE_FORCE_RUBY_PLATFORM: value)
      both = "    both (1.0)\n    both (1.0-#{local})\n"
      path = project.path("Gemfile.lock")
      File.write(path, File.read(path).sub(/^    both.*\n/, both).sub("  #{local}\n", "  ruby\n  #{local}\n"))
      assert_installs(project)

      assert_equal expected, project.bundle("exec", "ruby", "-e", "require 'both'; print BOTH")
      assert_match(/satisfied/, project.bundle("check"))
    end
  end

  def test_a_path_gem_with_an_executable
    project = app(gems: [])
    write_gem(project.path("engines/own"), "own",
              extra: "spec.bindir = 'exe'; spec.executables = ['own']",
              files: { "exe/own" => "#!/usr/bin/env ruby\nrequire 'own'\nputs Own::VERSION\n" })
    File.write(project.path("Gemfile"), "source '#{@source.url}'\ngem 'base'\ngem 'own', path: 'engines/own'\n")
    project.lock
    assert_installs(project, "base-1.0")
    assert_equal "1.5\n", project.bundle("exec", "own")
    assert_match(/satisfied/, project.bundle("check"))
  end

  def test_path_gem_beside_the_application_belongs_to_the_checkout
    projects = %w[one two].map do |name|
      project = app("#{name}/app", gems: [])
      write_gem("#{folder}/#{name}/own", "own", extra: "spec.bindir = 'exe'; spec.executables = ['own']",
                                                files: { "exe/own" => "" })
      File.write(project.path("Gemfile"), "source '#{@source.url}'\ngem 'own', path: '../own'\n")
      project.lock
      project
    end
    programs = %w[one two].map { |name| "#{folder}/#{name}/own/exe/own" }
    assert_installs(projects[0])
    programs.each { |path| File.chmod(0o644, path) }
    FileUtils.rm_rf(projects[0].path("vendor"))
    assert_installs(projects[1])
    assert_equal([false, true], programs.map { |path| File.executable?(path) })
  end

  def test_a_git_gem_with_an_executable_and_an_extension
    project = app(gems: [])
    repository = GemSource::Repository.new(File.join(folder, "repository"))
    extra = "spec.bindir = 'exe'; spec.executables = ['own']; spec.extensions = ['ext/own/extconf.rb']"
    repository.commit(
      GemSource::Repository.gem_files("own", "1.5", extra: extra).merge(
        "exe/own" => ["#!/usr/bin/env ruby\nrequire 'own/own'\nputs NATIVE\n", 0o755], "ext/own/own.c" => C_SOURCE,
        "ext/own/extconf.rb" => "require 'mkmf'\ncreate_makefile('own/own')\n"
      )
    )
    File.write(project.path("Gemfile"), "source '#{@source.url}'\ngem 'base'\ngem 'own', git: '#{repository.url}'\n")
    project.lock
    assert_installs(project, "base-1.0")
    assert_equal "7\n", project.bundle("exec", "own")
    assert_match(/satisfied/, project.bundle("check"))
    assert_match(/nothing|in place/, assert_installs(project, "base-1.0"))
  end

  def test_lockfile_is_not_resolved_for_a_ruby_that_does_not_fit
    project = app(gems: %w[tool])
    File.write(project.path("Gemfile"), "# é\nruby '9.9.9'\n#{File.read(project.path("Gemfile"))}gem 'late'\n")
    text = File.read(project.path("Gemfile.lock"))
    assert_fails(project, 15, "9.9.9")
    assert_equal text, File.read(project.path("Gemfile.lock"))
    File.unlink(project.path("Gemfile.lock"))
    assert_fails(project, 15, "9.9.9")
    refute_path_exists project.path("Gemfile.lock")
  end

  def test_a_gemfile_without_a_lockfile
    project = app(gems: %w[tool])
    File.unlink(project.path("Gemfile.lock"))
    assert_installs(project, "base-1.0", "tool-1.0")
    assert_path_exists project.path("Gemfile.lock")
    assert_happy(project, "tool")
  end

  private

  C_SOURCE = "#include <ruby.h>\nvoid Init_own(void) { rb_define_global_const(\"NATIVE\", INT2FIX(7)); }\n"
  private_constant :C_SOURCE

  def assert_happy(project, executable)
    assert_match(/satisfied/, project.bundle("check"))
    assert_equal "#{executable}\n", project.bundle("exec", executable)
  end

  def archive(full_name) = File.join(@source.catalog.folder, "#{full_name}.gem")

  def vendored(*full_names, gems:, checksums: {})
    project = app(gems: gems, checksums: checksums)
    FileUtils.mkdir_p(project.path("vendor/cache"))
    full_names.each { |name| FileUtils.cp(archive(name), project.path("vendor/cache")) }
    project
  end

  # Asserts that no request is sent to the source during the block.
  def offline
    @source.forget_requests
    yield
    assert_empty @source.requests
  end

  def write_gem(path, name, extra:, files:)
    GemSource::Repository.gem_files(name, "1.5", extra: extra).merge(files).each do |file, text|
      target = File.join(path, file)
      FileUtils.mkdir_p(File.dirname(target))
      File.write(target, text.sub(/`git ls-files.*/, "Dir['{exe,lib}/**/*']"))
    end
    Dir.glob("#{path}/exe/*").each { |exe| File.chmod(0o755, exe) }
  end
end
