# frozen_string_literal: true

require "install/install_case"

# Files that an install writes outside of a gem's own folder.
class CommitTest < InstallCase
  # Bundler installs a gem after its dependencies, so the executable of the dependent gem is kept.
  def test_executable_of_the_dependent_gem_wins_over_its_dependencys
    @source.add("below", "1.0", executables: %w[run])
    @source.add("zenith", "1.0", executables: %w[run])
    @source.add("aim", "1.0", executables: %w[run], dependencies: { "zenith" => ">= 0" })
    @source.add("crown", "1.0", executables: %w[run], dependencies: { "below" => ">= 0" })
    { "aim" => %w[aim zenith], "crown" => %w[below crown] }.each do |winner, names|
      2.times do |number|
        project = app("#{winner}#{number}", gems: [winner])
        assert_installs(project, *names.map { |name| "#{name}-1.0" })
        assert_match(/'#{winner}'/, File.read("#{project.bundle_root}/bin/run"))
      end
    end
  end

  def test_a_bundle_without_native_gems_has_no_folder_of_the_platform
    @source.add("plain", "1.0")
    project = app(gems: %w[plain])
    assert_installs(project)

    assert_empty children("#{project.bundle_root}/extensions")
  end

  # A power failure can leave an empty file. RubyGems ignores it.
  def test_empty_specification_is_ignored
    @source.add("plain", "1.0")
    project = app(gems: %w[plain])
    assert_installs(project)
    text = File.read(path = "#{project.bundle_root}/specifications/plain-1.0.gemspec")
    File.truncate(path, 0)
    assert_installs(project, "plain-1.0")

    assert_equal text, File.read(path)
  end

  # As in RubyGems, the plugin of the newest version is loaded.
  def test_an_older_version_leaves_the_plugin_of_a_newer_one
    plugins
    project = app(gems: %w[tool])
    %w[2.0 1.0].each { |version| install_version(project, version) }

    assert_equal "require_relative '../gems/tool-2.0/lib/rubygems_plugin.rb'\n", plugin(project)
  end

  def test_newer_version_without_a_plugin_removes_the_older_ones
    plugins
    project = app(gems: %w[tool tool-9])
    %w[2.0 3.0].each { |version| install_version(project, version) }
    assert_empty children("#{project.bundle_root}/plugins")
    install_version(project, "1.0")

    assert_empty children("#{project.bundle_root}/plugins")
  end

  def test_gem_older_than_the_default_gem_of_its_name_adds_no_plugin
    name = Gem::Specification.stubs.find { |stub| stub.default_gem? && stub.name != "bundler" }.name
    @source.add(name, "0.0.1", files: { "lib/rubygems_plugin.rb" => "" })
    project = app(gems: [name])
    assert_installs(project, "#{name}-0.0.1")

    assert_empty children("#{project.bundle_root}/plugins")
  end

  private

  def plugins
    %w[1.0 2.0].each { |version| @source.add("tool", version, files: { "lib/rubygems_plugin.rb" => "# #{version}" }) }
    @source.add("tool", "3.0")
    @source.add("tool-9", "9.0") # a gem whose name begins with "tool-"
  end

  def install_version(project, version)
    %w[Gemfile Gemfile.lock].each do |file|
      text = File.read(project.path(file))
      File.write(project.path(file), text.gsub(/gem 'tool'.*/, "gem 'tool', '#{version}'")
                                         .sub(/tool \([\d.]+\)/, "tool (#{version})")
                                         .sub(/^  tool\b.*/, "  tool (= #{version})"))
    end
    assert_installs(project)
    assert_includes project.installed, "tool-#{version}"
  end

  def plugin(project) = File.read("#{project.bundle_root}/plugins/tool_plugin.rb")
end
