# frozen_string_literal: true

require "install/build_case"
require "spate/tracer"

# The machines of a team, simulated by separate homes and stores. A folder is their cache.
class TeamCase < InstallBuildCase
  def setup
    super
    skip "builds cannot be traced here: #{Spate::Tracer.available?}" unless Spate::Tracer.available? == true
    @cache = FileUtils.mkdir_p("#{folder}/cache").first
    @key = Spate::RemoteCache::Trust::PrivateKey.generate
  end

  # An application on a machine that trusts the public key.
  def machine(name, *gems, cache: @cache, keys: @key.public_key("ci").to_s, **env)
    there = "#{folder}/#{name}/app" # as in a shell's PWD
    app("#{name}/app", gems: gems, home: "#{name}/home", SPATE_CACHE: cache, SPATE_CACHE_KEYS: keys, PWD: there, **env)
  end

  # Uploads the archives and builds of this application.
  def push(project, *options, key: @key)
    events(project.spate!("cache", "push", "--json", *options, SPATE_CACHE_KEY: key.to_pem))
  end

  def events(output) = output.lines.grep(/\A\{/).map { |line| JSON.parse(line) }
  def done = @events.find { |event| event["event"] == "done" }
end
