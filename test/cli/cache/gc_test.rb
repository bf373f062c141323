# frozen_string_literal: true

require "install/team/team_case"

# `spate cache gc` keeps the archives of a lockfile without checksums, and rejects files that are not complete
# lockfiles.
class CacheGcTest < TeamCase
  def test_archives_of_a_lockfile_without_checksums_stay
    @source.add("plain", "1.0")
    project = machine("first", "plain")
    lockfile = project.path("Gemfile.lock")
    File.write(lockfile, File.read(lockfile).sub(/^CHECKSUMS\n(?:  .*\n)+\n/, ""))
    install(project)
    push(project)
    archive, = Dir.glob("#{@cache}/cas/*")
    File.utime(Time.now - 200_000, Time.now - 200_000, archive)
    stranger = machine("second", "plain")
    output, status = stranger.spate("cache", "gc", "--older-than", "1d", lockfile)
    assert_equal 3, status.exitstatus, output
    assert_match(/Gemfile.lock has no checksum of plain-1.0, and .*\nhint: run `spate lock --add-checksums`/, output)
    project.spate!("cache", "gc", "--older-than", "1d", lockfile)
    assert_path_exists archive
    project.spate!("cache", "gc", "--older-than", "1d")
    refute_path_exists archive
  end

  # With a Gemfile, npm's lockfile or a truncated one, gc would remove every old entry.
  def test_incomplete_or_foreign_lockfile_is_refused
    @source.add("plain", "1.0")
    install(project = machine("first", "plain"))
    push(project)
    all = Dir.glob("#{@cache}/*/*").each { |path| File.utime(Time.now - 200_000, Time.now - 200_000, path) }
    lockfile = File.read(project.path("Gemfile.lock"))
    others = ["", "{\n  \"lockfileVersion\": 3\n}\n", lockfile[/.*^PLATFORMS\n/m]]
    [project.path("Gemfile"), *others.map { |text| write("other", text) }].each do |path|
      output, status = project.spate("cache", "gc", "--older-than", "1d", path)
      assert_equal 2, status.exitstatus, output
      assert_match(/ has no gems under DEPENDENCIES$\nhint: name a complete Gemfile.lock$/, output)
      assert_equal all, Dir.glob("#{@cache}/*/*")
    end
  end
end
