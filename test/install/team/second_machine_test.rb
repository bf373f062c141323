# frozen_string_literal: true

require "install/team/team_case"
require "support/cache_server"

# An install gets builds and archives from a team cache that another machine has filled, and succeeds without it.
class SecondMachineTest < TeamCase
  def setup
    super
    @server = CacheServer.new(@cache).start
  end

  def teardown
    @server&.stop
    super
  end

  # Builds the gem alpha on one machine and uploads it.
  def sent(**recipe)
    native("alpha", **recipe)
    first = machine("first", "alpha")
    assert_equal [%w[alpha], []], install(first)
    told = push(first)
    assert_equal [@source.catalog.entries.size + 2, 0], told.last.values_at("sent", "refused"), told
  end

  def second(**options) = machine("second", "alpha", cache: @server.url, **options)

  def test_a_second_machine_builds_and_fetches_nothing
    @source.add("plain", "1.0")
    sent(dependencies: { "plain" => ">= 1" })
    @source.forget_requests
    assert_equal [[], %w[alpha]], install(project = second)
    assert_equal [2, 1, 0], done.values_at("from_team", "builds_from_team", "built")
    assert_empty @source.requests.map(&:path).grep(/gems/)
    assert_equal "1", value(project, "alpha")
    assert_whole(project)
  end

  def test_complete_bundle_sends_no_request
    sent
    install(second)
    @server.forget_requests
    install(second)
    install(machine("second", "alpha", cache: @server.url))
    assert_empty @server.requests
  end

  # The build takes longer than the response.
  def test_late_response_ends_the_build_that_started_without_it
    sent(extconf: "sleep 20 unless ENV['HOME'].end_with?('first/home')")
    begun = -> { Dir.glob("/proc/[0-9]*/cwd").any? { |cwd| folder_of(cwd).include?("second/app/vendor") } }
    @server.fault(%r{/cas/#{blob}}, :delay, until: begun)
    assert_equal [[], %w[alpha]], install(project = second)
    assert_includes @events.map { |event| event["event"] }, "build_start"
    assert_equal 1, done["builds_from_team"]
    assert_equal "1", value(project, "alpha")
    assert_whole(project)
  end

  def folder_of(cwd)
    File.readlink(cwd)
  rescue SystemCallError
    "" # it has exited
  end

  # The SHA-256 of the blob that contains the build; all other blobs are archives.
  def blob
    archives = Dir.glob("#{folder}/first/home/spate/store/v1/archives/*").map { |path| File.basename(path, ".gem") }
    names = Dir.children("#{@cache}/cas") - archives
    assert_equal 1, names.size
    names.first
  end

  def test_build_that_ends_first_is_used
    sent
    @server.fault(%r{/cas/#{blob}}, :stall)
    assert_equal [%w[alpha], []], install(project = second)
    assert_equal "1", value(project, "alpha")
  end

  def test_faulty_responses_are_misses
    sent
    %i[html corrupt endless stall].each_with_index do |kind, index|
      @server.clear_faults
      @server.fault(//, kind)
      project = machine("m#{index}", "alpha", cache: @server.url)
      assert_equal [%w[alpha], []], install(project), kind
      assert_equal "1", value(project, "alpha")
      assert_equal [0, 0], done.values_at("from_team", "builds_from_team"), kind
    end
  end

  def test_missing_cache_is_reported_once
    native("alpha")
    @source.add("plain", "1.0")
    @server.stop
    project = machine("second", "alpha", "plain", cache: @server.url)
    assert_equal [%w[alpha], []], install(project)
    assert_equal 1, warnings.grep(/continuing without it/).size, warnings
    @server = nil
  end

  def test_refusal_is_reported_once_with_a_hint
    sent
    @server.fault(//, :status, code: 401)
    install(second)
    assert_equal 1, warnings.size, warnings
    assert_match(/401|refuse/i, warnings.first)
  end

  def test_no_builds_without_a_trusted_signer
    sent
    other = Spate::RemoteCache::Trust::PrivateKey.generate.public_key("other").to_s
    assert_equal [%w[alpha], []], install(second(keys: other))
    assert_equal [1, 0], done.values_at("from_team", "builds_from_team")
  end

  def test_another_header_is_another_build
    include = FileUtils.mkdir_p("#{folder}/include").first
    File.write("#{include}/flavour.h", "#define FLAVOUR 1\n")
    sent(extconf: "$CPPFLAGS << ' -I#{include}'", files: { "ext/alpha/alpha.c" => source("alpha", "FLAVOUR",
                                                                                         "#include <flavour.h>") })
    File.write("#{include}/flavour.h", "#define FLAVOUR 2\n")
    assert_equal [%w[alpha], []], install(project = second)
    assert_equal "2", value(project, "alpha")
    status = project.spate!("cache", "status")
    assert_includes status, "flavour.h changed"
  end
end
