# frozen_string_literal: true

require_relative "stale_case"

# The front end leaves a command to Ruby after Ruby, RubyGems, Bundler or Spate has changed. Mounts replace files of the
# system.
class StaleRubyTest < StaleCase
  ROOT = File.expand_path("../../..", __dir__)
  # The number of Spate's loaded files that are changed.
  SAMPLES = 20

  # The launcher loads a copy of Spate.
  def prepare
    FileUtils.cp_r(%w[lib exe].map { |name| File.join(ROOT, name) }, folder, preserve: true)
    result = run_program(RbConfig.ruby, "--disable-gems", "#{folder}/exe/spate", "setup", "--dir", bin)
    assert_equal 0, result.last, result
    assert_includes File.readlines(ruby), "#:lib #{lib}\n"
  end

  def lib(*names) = File.join(folder, "lib", *names)

  def test_files_of_spate
    loaded = marks.map(&:path).select { |path| path.start_with?(lib("spate")) && File.file?(path) }.uniq
    loaded.sample(SAMPLES, random: Random.new(Spate.test_seed)).each do |place|
      undo = nil
      try("#{place} edited", -> { undo.call }) { undo = edited(place) { |text| File.binwrite(place, "#{text}\n") } }
    end
    refute_empty loaded
  end

  def test_another_spate
    version = lib("spate/version.rb")
    undo = nil
    [version, lib("spate/native/boot.so"), lib("spate"), front].each do |place|
      try("a copy of #{place}", -> { undo.call }) do
        undo = aside(place) { |old| FileUtils.cp_r(old, place, preserve: true) }
      end
    end
    File.write(version, File.read(version).sub(/"[\d.]+/, "\"99.0"))
    refute answered?, "another version"
  end

  def test_spate_is_removed
    undo = aside(lib)
    refute answered?
    undo.call
    assert answered?, "it is back"
    aside(ruby)
    refute answered?
  end

  # Replaces files of Ruby with a copy and with an edited copy, and adds files to its folders.
  def test_another_ruby
    ignore_mounts
    rubygems = $LOADED_FEATURES.find { |path| path.end_with?("/rubygems.rb") }
    [RbConfig.ruby, rubygems, File.join(RbConfig::CONFIG["rubyarchdir"], "rbconfig.rb")].each do |place|
      cover(place)
      cover(place) { |copy| File.write(copy, "\n", mode: "ab") }
    end
    [RbConfig::CONFIG["sitedir"], "#{File.dirname(rubygems)}/rubygems", Gem.default_dir].each do |place|
      next unless File.directory?(place)

      cover(place) { |copy| write("copies/#{File.basename(copy)}/#{RbConfig::CONFIG["ruby_version"]}/rubygems.rb", "") }
      cover(place) { |copy| write("copies/#{File.basename(copy)}/defaults/operating_system.rb", "") }
    end
  end

  BUNDLER = 'Gem::Specification.new("bundler", "%s") { |gem| gem.summary = gem.author = "b" }'

  def test_another_bundler
    places = marks.select { |mark| mark.absent? && mark.path.end_with?("/specifications") }.map(&:path)
    places.select { |place| place.start_with?(folder) }.product(%w[99.0 2.3.15]) do |place, version|
      undo = nil
      path = "#{place}/bundler-#{version}.gemspec"
      try(path, -> { undo.call }) { undo = made(path) { File.write(path, format(BUNDLER, version)) } }
    end
    refute_empty places
  end

  # Removes the specifications of Bundler, or adds one of Bundler 99.0, in each folder outside of the bundle.
  def test_bundler_is_removed
    ignore_mounts
    listed = marks.map(&:path).uniq.grep(%r{/specifications(?:/default)?\z}).select { |path| File.directory?(path) }
    (listed - [bundle("specifications")]).each do |place|
      cover(place) { |copy| FileUtils.rm(Dir.glob("#{copy}/bundler-*.gemspec")) }
      cover(place) { |copy| File.write("#{copy}/bundler-99.0.gemspec", format(BUNDLER, "99.0")) }
    end
    refute_empty listed
  end
end
