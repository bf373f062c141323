# frozen_string_literal: true

require "install/team/team_case"

# `spate cache gc` with a lockfile that names gems and no archives.
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
    assert_match(/Gemfile.lock has no checksum of plain-1.0, and .*\nhint: bundle lock --add-checksums/, output)
    project.spate!("cache", "gc", "--older-than", "1d", lockfile)
    assert_path_exists archive
    project.spate!("cache", "gc", "--older-than", "1d")
    refute_path_exists archive
  end
end
