# frozen_string_literal: true

require "install/install_case"
require "support/random_bundle"

# Random bundles, installed by this machine's Bundler and by Spate, and compared path by path. SPATE_SEED=N selects
# another bundle.
class RandomBundlesTest < InstallCase
  SEEDS = ENV["SPATE_SEED"] ? [Integer(ENV["SPATE_SEED"])] : (1..12)
  # Files that also differ between two runs of Bundler.
  VOLATILE = /\.(?:so|o)\z|Makefile\z|(?:gem_make\.out|mkmf\.log)\z/
  # Older Bundlers clone completely, newer ones shallowly.
  OTHERS = %r{/cache/bundler/git/|/\.git(?:/|\z)}

  def setup
    super
    Spate::RandomBundle.stock(@source)
    @repository = GemSource::Repository.new(File.join(folder, "repository"))
    @repository.commit({ **GemSource::Repository.gem_files("kept", "1.0", extra: "spec.executables = ['kept']"),
                         "bin/kept" => ["#!/usr/bin/env ruby\n", 0o755] })
    @repository.git("tag", "v1")
    @repository.commit({ "NEWS" => "x" })
  end

  SEEDS.each do |seed|
    define_method("test_bundle_#{seed}") { compare(seed) }
  end

  private

  def compare(seed)
    bundle = Spate::RandomBundle.new(seed, @source.url, @repository)
    others = installed(bundle, "bundler") { |project, folder| project.run("bundle", "install", chdir: folder) }
    mine = installed(bundle, "spate") { |project, folder| project.spate("install", chdir: folder) }
    about = "seed #{seed}: #{bundle.gemfile}#{bundle.settings} umask #{bundle.umask.to_s(8)} #{bundle.lockfile}\n"

    assert_equal others.first, mine.first, "#{about}#{mine.last}"
    differences = Spate::TreeComparison.differences(others[1], mine[1], allowed: others[1].keys.grep(VOLATILE))
    assert_empty differences, about
  end

  # Installs in the same folder. Returns [success, snapshot, output].
  def installed(bundle, tool)
    FileUtils.rm_rf("#{folder}/app")
    environment, = bundle.settings
    project = Spate::TestProject.new("#{folder}/app", "", home: "#{folder}/home-#{tool}", env: environment)
    bundle.write(project.folder)
    lock_for(bundle, project)
    before = File.umask(bundle.umask)
    output, status = yield project, bundle.subfolder? ? project.path("sub/folder") : project.folder
    [status.success?, snapshot(project), output]
  ensure
    File.umask(before) if before
  end

  # Writes a lockfile as a developer would create it, without the settings of the test, and changes it according to
  # `bundle.lockfile`.
  def lock_for(bundle, project)
    path = project.path("Gemfile.lock")
    @locked ||= {}
    @locked[bundle.gemfile] ||= begin
      project.run!("bundle", "lock", BUNDLE_APP_CONFIG: "#{folder}/none", **without_settings(project))
      FileUtils.rm_rf(project.path("vendor")) # clones
      File.read(path)
    end
    File.write(path, @locked[bundle.gemfile])
    case bundle.lockfile
    when :removed then File.unlink(path)
    when :crlf then File.write(path, File.read(path).gsub("\n", "\r\n"))
    when :changed then change(project.path("Gemfile"))
    end
  end

  def change(gemfile)
    File.write(gemfile, "gem 'base', '< 2'\n", mode: "a") unless File.read(gemfile).include?("'base'")
  end

  def without_settings(project)
    project.env.keys.grep(/\ABUNDLE_(?:WITHOUT|WITH|FORCE)/).to_h { |key| [key.to_sym, nil] }
  end

  def snapshot(project) = Spate::TreeComparison.snapshot(project.folder) { |path| path.match?(OTHERS) }
end
