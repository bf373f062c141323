# frozen_string_literal: true

require "install/team/team_case"
require "support/cache_server"
require "support/test_disk"
require "support/web_servers"

# The subcommands of `spate cache` save addresses and keys, send, collect and verify entries, and report errors with
# hints.
class CacheCommandTest < TeamCase
  def plain(name = "here", **options)
    @source.add("plain", "1.0")
    app("#{name}/app", gems: %w[plain], home: "#{name}/home", **options)
  end

  # Asserts that a command fails with this exit code and prints a hint. Returns its output.
  def refused(project, code, *words, **env)
    output, status = project.spate("cache", *words, **env)
    assert_equal code, status.exitstatus, output
    assert_match(/^hint: \S/, output)
    output
  end

  def test_address_and_trusted_keys_are_saved_in_bundlers_settings
    project = plain
    word = @key.public_key("ci").to_s
    assert_includes project.spate!("cache", "use", @cache), "remembered in .bundle/config: spate.cache #{@cache}"
    project.spate!("cache", "trust", word)
    assert_equal @cache, project.bundle("config", "get", "--parseable", "spate.cache").chomp.split("=").last
    assert_match(/^trusts ci, /, project.spate!("cache", "status"))
    told = events(project.spate!("cache", "status", "--json", SPATE_CACHE_KEY: @key.to_pem)).last
    assert_equal [@cache, %w[ci], true, 0], told.values_at("address", "trusts", "writes", "installs")
    bucket = "s3://acme/x?region=eu-west-1&endpoint=https://s3.acme.test"
    assert_includes project.spate!("cache", "use", bucket), "spate.cache #{bucket}"
    refused(project, 14, "distrust", "somebody")
    project.spate!("cache", "distrust", "ci")
    assert_match(/trusts no signer/, project.spate!("cache", "status"))
    project.spate!("cache", "off")
    assert_includes refused(project, 14, "status"), "no team cache is configured here"
  end

  def test_new_key_of_a_name_replaces_the_old_one
    project = plain
    keys = Array.new(2) { Spate::RemoteCache::Trust::PrivateKey.generate.public_key("ci").to_s }
    keys.each { |key| project.spate!("cache", "trust", key) }
    assert_equal keys.last, project.bundle("config", "get", "--parseable", "spate.cache_keys").chomp.split("=", 2).last
  end

  def test_key_is_removed_under_all_names_and_the_rest_is_listed
    project = plain
    keys = Array.new(2) { Spate::RemoteCache::Trust::PrivateKey.generate.public_key("x").to_s[/:.*/] }
    project.spate!("cache", "trust", "--global", "b#{keys.last}")
    ["a#{keys.first}", "other#{keys.first}"].each { |word| project.spate!("cache", "trust", word) }
    assert_match(/^trusted here: b$/, project.spate!("cache", "distrust", "a"))
    assert_match(/^no signer is trusted here$/, project.spate!("cache", "distrust", "--global", "b"))
  end

  def test_invalid_addresses_and_keys
    project = plain
    refused(project, 12, "use", "ftp://cache.test/")
    refused(project, 12, "trust", "ci")
    refused(project, 2, "statsu")
    refused(project, 2, "use")
  end

  def test_private_key_is_readable_by_its_owner_only_and_never_overwritten
    project = plain
    word = project.spate!("cache", "key", "ci").lines.grep(/\Aci:/).first.chomp
    assert_equal 0o600, File.stat(project.path("ci.pem")).mode & 0o777
    made = Spate::RemoteCache::Trust::PrivateKey.load(File.read(project.path("ci.pem")))
    assert_equal word, made.public_key("ci").to_s
    assert_includes project.spate!("cache", "key", "ci"), word
    assert_equal made.to_pem, File.read(project.path("ci.pem"))
  end

  def test_dry_run_lists_uploads_and_sends_nothing
    native("alpha")
    project = machine("first", "alpha")
    install(project)
    output = project.spate!("cache", "push", "--dry-run")
    assert_match(/^build alpha-1.0 \(.*\): would be sent$/, output)
    assert_match(/^archive alpha-1.0 \(.*\): would be sent$/, output)
    *sendings, sum = events(project.spate!("cache", "push", "--dry-run", "--json"))
    assert_equal [%w[build alpha-1.0 would], %w[check Gemfile would], %w[archive alpha-1.0 would]],
                 sendings.map { |event| event.values_at("kind", "name", "state") }
    assert_equal [0, 3, 0, 0, sendings.sum { |event| event["bytes"] }],
                 sum.values_at("sent", "would", "there", "refused", "bytes")
    assert_match(/^check Gemfile \(.*\): would be sent$/, output)
    assert_match(/^hint: sending needs a key: `spate cache key NAME` .*SPATE_CACHE_KEY=NAME.pem/, output)
    assert_empty Dir.glob("#{@cache}/*")
    refused(project, 14, "push")
  end

  def test_archives_are_queried_concurrently
    names = Array.new(3) { |number| "plain#{number}".tap { |name| @source.add(name, "1.0") } }
    install(project = machine("first", *names))
    server = CacheServer.new(@cache).start
    server.fault(/cas/, :delay, until: -> { server.requests.count { |one| one.path.include?("/cas/") } == names.size })
    assert_match(/^4 would be sent/, project.spate!("cache", "push", "--dry-run", SPATE_CACHE: server.url))
  ensure
    server&.stop
  end

  def test_existing_entries_are_not_sent_again
    native("alpha")
    project = machine("first", "alpha")
    install(project)
    assert_equal 3, push(project).last["sent"]
    before = Dir.glob("#{@cache}/*/*").to_h { |path| [path, File.stat(path).ino] }
    assert_equal [0, 3], push(project).last.values_at("sent", "there")
    assert_equal before, Dir.glob("#{@cache}/*/*").to_h { |path| [path, File.stat(path).ino] }
  end

  def test_build_that_read_a_secret_is_not_sent
    native("alpha", extconf: "ENV['DEPLOY_TOKEN'].to_s")
    project = machine("first", "alpha")
    install(project, DEPLOY_TOKEN: "0123456789abcdef")
    told = events(project.spate!("cache", "push", "--json", SPATE_CACHE_KEY: @key.to_pem,
                                                            DEPLOY_TOKEN: "0123456789abcdef"))
    assert_equal 1, told.last["refused"], told
    assert_match(/DEPLOY_TOKEN/, told.find { |event| event["state"] == "refused" }["reason"])
  end

  def test_archive_of_a_source_with_a_password_is_not_sent
    @source.stop
    @source = GemSource.start(userinfo: "me:secret")
    @source.add("plain", "1.0")
    project = app("first/app", gems: %w[plain], home: "first/home", SPATE_CACHE: @cache,
                               "BUNDLE_LOCALHOST:#{@source.port}": "me:secret", BUNDLE_LOCALHOST: "me:secret")
    install(project)
    told = push(project)
    assert_equal [0, 2], told.last.values_at("sent", "refused"), told
  end

  def test_gc_removes_old_entries_that_no_lockfile_names
    native("alpha")
    native("beta")
    %w[alpha beta].each { |name| machine(name, name).tap { |project| install(project) && push(project) } }
    all = Dir.glob("#{@cache}/*/*")
    assert_equal 8, all.size
    project = machine("alpha", "alpha")
    project.spate!("cache", "gc", "--older-than", "1d")
    assert_equal all, Dir.glob("#{@cache}/*/*")
    all.each { |path| File.utime(Time.now - 200_000, Time.now - 200_000, path) }
    told = events(project.spate!("cache", "gc", "--older-than", "1d", "--dry-run", "--json", "Gemfile.lock")).last
    assert_equal all, Dir.glob("#{@cache}/*/*")
    project.spate!("cache", "gc", "--older-than", "1d", "Gemfile.lock")
    assert_equal told["removed"], all.size - Dir.glob("#{@cache}/*/*").size
    assert_equal [[], %w[alpha]], install(machine("third", "alpha"))
    assert_equal [%w[beta], []], install(machine("fourth", "beta"))
  end

  def test_verify_reads_all_entries_and_lists_faults
    native("alpha")
    project = machine("first", "alpha")
    install(project)
    push(project)
    assert_match(/2 documents and 2 blobs .* 0 faults/, project.spate!("cache", "verify"))
    blob = Dir.glob("#{@cache}/cas/*").min_by { |path| File.size(path) }
    File.binwrite(blob, "x" * File.size(blob))
    output, status = project.spate("cache", "verify")
    assert_equal 9, status.exitstatus
    assert_includes output, File.basename(blob)
    told = events(project.spate("cache", "verify", "--json").first)
    assert_equal [false, 1], told.last.values_at("ok", "faults")
  end

  def test_install_with_the_key_sends_in_the_background
    native("alpha")
    project = machine("first", "alpha")
    install(project, SPATE_CACHE_KEY: @key.to_pem)
    Timeout.timeout(60) { sleep 0.05 until Dir.glob("#{@cache}/*/*").grep_v(/\.\d+-/).size == 4 }
    assert_equal [[], %w[alpha]], install(machine("second", "alpha"))
  end

  def test_install_in_ci_sends_before_it_ends
    native("alpha")
    install(machine("first", "alpha"), SPATE_CACHE_KEY: @key.to_pem, CI: "true")
    assert_equal 4, Dir.glob("#{@cache}/*/*").size
    assert_equal 3, @events.last["sent"]
  end

  def test_read_only_cache_is_a_warning_in_ci
    native("alpha")
    install(machine("first", "alpha", cache: "#{folder}/missing"), SPATE_CACHE_KEY: @key.to_pem, CI: "true")
    assert_includes warnings.last, "stopped sending to the team's cache: the cache #{folder}/missing"
  end

  def test_install_can_wait_for_its_uploads
    native("alpha")
    output, status = run_install(machine("first", "alpha"), "--push", SPATE_CACHE_KEY: @key.to_pem)
    assert_equal 0, status.exitstatus, output
    assert_match(/3 sent/, output)
  end

  # As documented in docs/team-cache.md: the token is the password; the user name is ignored.
  def test_a_node_with_tokens
    node = WebServers.node(@cache, reader: "reader")
    writer, reader, nobody = [%w[writer ci:secret], %w[reader me:reader], %w[nobody me:wrong]].map do |name, userinfo|
      plain(name, SPATE_CACHE: node.url, SPATE_CACHE_KEYS: @key.public_key("ci").to_s).tap do |project|
        project.bundle("config", "set", "--local", "127.0.0.1", userinfo)
      end
    end
    install(writer)
    assert_equal [1, 1], push(writer).last.values_at("sent", "refused"), "a check has read the token"
    assert_equal 1, events(writer.spate!("cache", "verify", "--json")).last["blobs"]
    told = events(writer.spate!("cache", "gc", "--older-than", "1d", "--dry-run", "--json")).last
    assert_equal [true, 0, 1, 0], told.values_at("dry_run", "documents", "blobs", "removed")
    { reader => 403, nobody => 401 }.each do |project, status|
      %w[verify gc].each { |word| assert_match(/^error: the cache \S+ returned #{status}/, refused(project, 6, word)) }
    end
    @source.forget_requests
    install(reader)
    assert_empty @source.requests.map(&:path).grep(/gems/), "it came from the cache"
    output, = run_install(nobody)
    assert_match(/^warning: the cache \S+ returned 401 .* the user me .*; continuing without it$/, output)
    assert_equal 1, output.scan("warning").size
  ensure
    node&.stop
  end

  # Entries that were not written are sent when the share has space again.
  def test_full_share
    obstacle = Spate::TestDisk.obstacle(:ext4) and skip obstacle
    disk = Spate::TestDisk.new(:ext4, "#{folder}/compile_cache").tap { |one| one.mount("#{folder}/share") }
    @source.add("plain", "1.0", files: { "data" => Random.bytes(200_000) })
    project = app("here/app", gems: %w[plain], home: "here/home", SPATE_CACHE: "#{folder}/share")
    install(project)
    filler = "#{folder}/share/filler"
    assert_raises(Errno::ENOSPC) { IO.copy_stream("/dev/zero", filler, 1 << 30) }
    output = refused(project, 6, "push", SPATE_CACHE_KEY: @key.to_pem)
    assert_match(/^error: the cache \S+ is full: No space left on device/, output)
    assert_empty Dir.glob("#{folder}/share/cas/*")
    FileUtils.rm(filler)
    assert_equal 2, push(project).last["sent"]
  ensure
    disk&.unmount
  end

  def test_bundlers_cache_command_still_works
    project = plain
    run_install(project)
    assert_match(/vendor.cache/, project.spate!("cache", "--all"))
    assert_match(/^hint: this is `bundle cache`; for the team's cache: spate cache --help$/, project.spate!("cache"))
    assert_equal project.spate!("cache", "--help"), project.spate!("cache", "help")
    assert_path_exists project.path("vendor/cache/plain-1.0.gem")
  end
end
