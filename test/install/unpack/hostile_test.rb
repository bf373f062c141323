# frozen_string_literal: true

require "install/install_case"
require "support/hostile_archives"

# Malicious gems, created byte by byte. They are rejected with the names of gem and member, and leave no file.
class HostileTest < InstallCase
  def setup
    super
    @source.add("good", "1.0")
    @outside = File.join(folder, "outside").tap { |path| Dir.mkdir(path) }
    @recipe = GemSource::Recipe.new("evil", "1.0")
    serve(@recipe.archive)
    @app = app(gems: %w[good])
    assert_installs(@app, "good-1.0")
    use_gems(%w[evil good])
  end

  def test_refused_gem_leaves_no_file
    before = state(@app)
    faults = HostileArchives::Refused.new(@outside).cases.filter_map do |label, (bytes, code, words)|
      serve(bytes)
      fault = fault_of(code, words) || (before == state(@app) ? nil : "left #{changes(before, state(@app))}")
      "#{label}: #{fault}" if fault
    end

    assert faults.empty?, faults.join("\n\n")
    serve(@recipe.archive)
    assert_installs(@app, "evil-1.0", "good-1.0")
    assert_store_clean(@app)
  end

  def test_unusual_valid_gem_is_installed
    serve(HostileArchives::Accepted.bytes)
    output = assert_installs(@app, "evil-1.0", "good-1.0")
    files = HostileArchives::Accepted.files

    assert_includes output, 'red \e[31m and \e]0;title\a'
    refute_match(/[\e\u0007]/, output)
    assert_equal(files, files.to_h { |path, _| [path, File.read(file(path), encoding: "UTF-8")] })
    assert_equal 0o755, File.stat(file("bin/setuid")).mode & 0o7777
    assert_equal 1024, File.size(file("lib/pax"))
    refute_path_exists file("smuggled")
    assert_equal 52, Dir.glob(file("**/*")).count { |path| File.file?(path) && !File.symlink?(path) }
  end

  def test_name_in_the_lockfile_with_a_path_is_refused
    lockfile = File.read(@app.path("Gemfile.lock"))
    before = state(@app)
    ["../../../outside/evil", "evil/../../x", "evil\e[31m"].each do |name|
      File.write(@app.path("Gemfile.lock"), lockfile.gsub(/^( +)evil/) { "#{$1}#{name}" })
      output, status = run_install(@app)

      refute_equal 0, status.exitstatus, output
      refute_equal 1, status.exitstatus, output
      refute_match(/\e/, output)
    end
    File.write(@app.path("Gemfile.lock"), lockfile)

    assert_equal before, state(@app)
  end

  private

  def file(path) = "#{@app.bundle_root}/gems/evil-1.0/#{path}"

  def serve(bytes) = @source.catalog.add(@recipe, bytes)

  def use_gems(names)
    File.write(@app.path("Gemfile"), "source '#{@source.url}'\n#{names.map { |gem| "gem '#{gem}'\n" }.join}")
    lock(@app, names)
  end

  # The difference from the expected failure; nil if there is none.
  def fault_of(code, words)
    output, status = run_install(@app)
    missing = words.reject { |word| output.include?(word) }
    return "exit code #{status.exitstatus} instead of #{code}:\n#{output}" unless status.exitstatus == code
    return "does not say #{missing.inspect}:\n#{output}" unless missing.empty?
    return "no hint:\n#{output}" unless output.match?(/^hint: \S/)

    "raw control characters:\n#{output.dump}" if output.match?(/[\e\u0007]/)
  end

  def changes(before, after)
    before.keys.flat_map { |key| Array(after[key].to_a) - Array(before[key].to_a) }.inspect
  end
end
