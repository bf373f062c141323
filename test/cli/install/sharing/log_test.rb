# frozen_string_literal: true

require "install/team/team_case"

# The log of uploads in the background after an install is not written through a link. Failed uploads are reported.
class SharingLogTest < TeamCase
  def setup
    super
    @source.add("plain", "1.0")
    @project = machine("first", "plain")
    @logs = FileUtils.mkdir_p("#{folder}/first/home/spate/store/v1/logs").first
    @log = "#{@logs}/#{File.basename(Spate::CLI::Install::Sharing::LOG)}"
  end

  def install_and_send(key = @key.to_pem, **options)
    output, status = @project.spate("install", SPATE_CACHE_KEY: key, **options)
    assert_equal 0, status.exitstatus, output
    Timeout.timeout(30) { sleep 0.05 until Dir.glob("#{@cache}/cas/*").grep_v(/\.\d+-/).any? }
  end

  def test_log_is_not_written_through_a_link
    victim = write("victim", "precious\n")
    File.symlink(victim, @log)
    install_and_send

    assert_equal "precious\n", File.read(victim)
    assert_equal [true, 0o600], File.lstat(@log).then { |stat| [stat.file?, stat.mode & 0o777] }
  end

  def test_upload_works_without_a_log
    Dir.mkdir(@log)
    install_and_send
  end

  # Users do not read the log, so the status and the next upload report the failure until a push succeeds.
  def test_failed_upload_is_reported
    FileUtils.rmdir(@cache)
    status = @project.spate("install", SPATE_CACHE_KEY: @key.to_pem).last
    assert status.success?
    Timeout.timeout(30) { sleep 0.05 until File.size?(@log) }
    told = /^warning: .* the last install were not sent: the cache #{@cache} does not exist\nhint: create the folder/
    assert_match(told, @project.spate!("cache", "status"))
    assert_match(/not sent: the cache/, JSON.parse(@project.spate!("cache", "status", "--json"))["unsent"])
    FileUtils.rm_rf([*Dir["#{File.dirname(@logs)}/{archives,packages}"], @project.path("vendor")])
    assert_match(told, @project.spate!("install", SPATE_CACHE_KEY: @key.to_pem))

    Dir.mkdir(@cache)
    push(@project)
    refute_match(/not sent/, @project.spate!("cache", "status"))
  end

  # The install may be started in any folder.
  def test_path_of_a_key_is_relative_to_the_current_folder
    sub = FileUtils.mkdir_p(@project.path("sub")).first
    File.write("#{sub}/ci.pem", @key.to_pem)
    install_and_send("ci.pem", chdir: sub)
  end
end
