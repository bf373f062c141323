# frozen_string_literal: true

require "install/install_case"

# Modes of installed files with RubyGems that applies the umask, and with RubyGems that does not.
class ModeMaskTest < InstallCase
  MODES = { "lib/modes.rb" => 0o664, "lib/wide.rb" => 0o666, "lib/plain.rb" => 0o644, "script" => 0o775,
            "exe/modes" => 0o660 }.freeze
  # Replaces RubyGems' version number, and nothing else.
  OTHER = "Gem.send(:remove_const, :VERSION)\nGem::VERSION = %p\n"

  def setup
    super
    files = MODES.to_h { |path, mode| [path, ["# #{path}\n", mode]] }
    @source.add("modes", "1.0", files: files, executables: ["modes"])
    @source.add("needs", "1.0", dependencies: { "modes" => ">= 0" })
  end

  def test_versions
    { "3.3.15" => 0o777, "3.4.22" => 0o777, "3.5.7" => 0o777, "3.5.8" => 0o750, "3.5.10" => 0o750, "3.6.0.dev" => 0o750,
      "4.0.22" => 0o750 }.each { |version, mask| assert_equal mask, mask(version, 0o027), version }
    assert_equal [0o755, 0o700, 0o777], [0o022, 0o077, 0].map { |umask| mask("4.0.0", umask) }
    assert_equal 0o777, mask("4.0.0", 0o777), "unreadable files"
  end

  def test_modes_are_those_of_the_machines_own_rubygems
    [0o002, 0o022, 0o027].each do |umask|
      mine, others = %w[spate bundler].map { |tool| app("#{tool}-#{umask}", gems: ["needs"], home: "#{tool}-#{umask}") }
      with_umask(umask) do
        assert_installs mine, "modes-1.0", "needs-1.0"
        others.bundle("install")
      end

      assert_equal modes(others), modes(mine), umask.to_s(8)
      assert_equal modes(others, "bin"), modes(mine, "bin")
      assert_equal snapshot(others), snapshot(mine)
    end
  end

  def test_an_archive_that_another_umask_brought_into_the_store
    made = { 0o022 => 0o644, 0o002 => 0o664, 0o077 => 0o600 }.map do |umask, mode|
      with_umask(umask) do
        assert_installs app("umask-#{umask}", gems: ["needs"])
        assert_equal mode, File.stat("#{folder}/umask-#{umask}/#{cached("modes-1.0")}").mode & 0o777, umask.to_s(8)
      end
    end

    assert_equal 3, made.size
  end

  def test_one_store_serves_both_and_every_umask
    old, masked, private = %w[old masked private].map { |name| app(name, gems: ["needs"]) }
    assert_installs old, **version("3.5.7")
    with_umask(0o022) { assert_installs masked, **version("3.5.8") }
    with_umask(0o077) { assert_installs private, **version("3.5.8") }

    assert_equal MODES.merge("exe/modes" => 0o771), modes(old)
    assert_equal MODES.transform_values { |mode| mode & 0o755 }.merge("exe/modes" => 0o751), modes(masked)
    assert_equal MODES.transform_values { |mode| mode & 0o700 }.merge("exe/modes" => 0o711), modes(private)
    assert_equal 1, @source.requests.count { |request| request.path.end_with?("/modes-1.0.gem") }
    assert_equal [sha256, "#{sha256}-700", "#{sha256}-755"], old.store.package_keys(sha256)
    assert_store_clean old
  end

  def test_masked_package_is_linked_healed_and_reported_as_any_other
    with_umask(0o022) do
      first, second = %w[first second].map { |name| app(name, gems: ["needs"], **version("3.5.8")) }
      assert_installs first
      assert_match(/\b2 from the store/, assert_installs(second))
      assert_match(/nothing to do|2 gems in place/i, assert_installs(first))
      assert_edits_told(first, second)
      damage(first)
      assert_installs app("third", gems: ["needs"], **version("3.5.8"))
      assert_store_clean first
    end
  end

  def test_prune_keeps_what_masked_bundles_use
    bundle = with_umask(0o022) { app("kept", gems: ["modes"], **version("3.5.8")).tap { |made| assert_installs made } }
    bundle.spate!("store", "prune", "--older-than", "0")
    store = bundle.store

    assert_equal ["#{sha256}-755"], store.package_keys(sha256)
    assert_path_exists store.archive_path(sha256)
    FileUtils.rm_rf(bundle.folder)
    bundle = app("other", gems: ["needs"])
    bundle.spate!("store", "prune", "--older-than", "0")
    assert_empty store.package_keys(sha256)
    refute_path_exists store.archive_path(sha256)
  end

  private

  def mask(version, umask) = Spate::Store::PackageKey.mask(version, umask)

  def with_umask(umask)
    before = File.umask(umask)
    yield
  ensure
    File.umask(before)
  end

  def version(text)
    { "RUBYOPT" => "-r#{write("rubygems-#{text}.rb", format(OTHER, text).gsub(/^/, "defined?(Gem) && "))}" }
  end

  def modes(project, folder = "gems/modes-1.0")
    Dir.glob("**/*", base: root = "#{project.bundle_root}/#{folder}").select { |path| File.file?("#{root}/#{path}") }
       .to_h { |path| [path, File.stat("#{root}/#{path}").mode & 0o7777] }
  end

  def snapshot(project) = Spate::TreeComparison.snapshot(project.bundle_root)

  def cached(full_name) = "vendor/bundle/#{Spate::Layout.ruby_scope}/cache/#{full_name}.gem"

  def sha256 = @source.catalog.entries.find { |entry| entry.name == "modes" }.sha256

  # An edit through the link is reported by the other project and repaired there, with the masked mode.
  def assert_edits_told(first, second)
    file = "gems/modes-1.0/lib/wide.rb"
    File.write("#{first.bundle_root}/#{file}", "edited\n", mode: "a")
    assert_includes second.spate!("check"), "wide.rb"
    second.spate!("restore", "modes", **version("3.5.8"))

    texts = [first, second].map { |each| File.read("#{each.bundle_root}/#{file}") }
    assert_equal([true, false], texts.map { |text| text.include?("edited") })
    assert_equal MODES["lib/wide.rb"] & 0o755, modes(second)["lib/wide.rb"]
  end

  def damage(project)
    store = project.store
    manifest = store.package("#{sha256}-755")
    entry = manifest.entry(manifest.index("lib/plain.rb"))
    File.unlink(store.native.object_path(entry[:sha256], entry[:mode]))
  end
end
