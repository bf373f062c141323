# frozen_string_literal: true

require "install/team/team_case"

# A Gemfile check of one machine is used by the next one with the same home, such as a CI job or a container.
class TeamGemfileCheckTest < TeamCase
  # Evaluating this takes longer than a response of the cache.
  LONG = "count = 0\ncount += 1 while count < 60_000\n"

  def setup
    super
    @source.add("plain", "1.0")
  end

  def test_second_machine_does_not_run_bundler
    first = computer("first")
    install(first)
    assert_equal [2, 0], push(first).last.values_at("sent", "refused")
    assert_equal [0, 2], push(first).last.values_at("sent", "there")
    second = computer("second")
    install(second)
    assert_equal [1, []], known(second), "Bundler was asked as well"
    assert_match(/nothing to do/, run_install(second).first)
    FileUtils.rm_rf([second.path("vendor"), "#{second.env["SPATE_HOME"]}/store/v1/checks"])
    install(second)
    assert_equal [2, []], known(second), "also without downloads"
    assert_match(/^check  would be used here/, second.spate!("explain", "gemfile"))
    assert_match(/1 document and 1 blob .* 0 faults/, second.spate!("cache", "verify"))

    stranger = computer("third", keys: Spate::RemoteCache::Trust::PrivateKey.generate.public_key("other").to_s)
    install(stranger)
    assert_equal [0, 1], known(stranger).then { |had, own| [had, own.size] }
  end

  def test_gemfile_checks_of_a_lockfile_are_not_collected
    install(first = computer("first"))
    push(first)
    all = Dir.glob("#{@cache}/*/*").each { |path| File.utime(Time.now - 200_000, Time.now - 200_000, path) }
    first.spate!("cache", "gc", "--older-than", "1d", "Gemfile.lock")
    assert_equal all, Dir.glob("#{@cache}/*/*")
    first.spate!("cache", "gc", "--older-than", "1d")
    assert_empty Dir.glob("#{@cache}/*/*")
  end

  private

  def computer(name, **options)
    home = FileUtils.mkdir_p("#{folder}/home").first
    env = { HOME: home, BUNDLE_USER_HOME: "#{home}/.bundle", SPATE_HOME: "#{folder}/#{name}/spate" }
    machine(name, "plain", **env, **options).tap { |project| File.write(project.path("Gemfile"), LONG, mode: "a") }
  end

  # [Gemfile checks as counted by `spate cache status`, this machine's own records].
  def known(project)
    env = ENV.to_h.merge(project.env).compact
    location = Spate::Gemfile.find(project.folder, env)
    settings = Spate::Settings.load(root: project.folder, env: env)
    store = Spate::Store.open(home: env["SPATE_HOME"], env: {})
    told = events(project.spate!("cache", "status", "--json")).last
    [told["checks"], Spate::Gemfile::Check.records(store, location, settings).to_a]
  end
end
