# frozen_string_literal: true

require "install/build_case"
require "spate/ear"

# Machines of a team: homes and stores of their own, and a cache in a folder between them.
class TeamCase < InstallBuildCase
  def setup
    super
    skip "builds cannot be heard here: #{Spate::Ear.available?}" unless Spate::Ear.available? == true
    @cache = FileUtils.mkdir_p("#{folder}/cache").first
    @key = Spate::RemoteCache::Trust::PrivateKey.generate
  end

  # An application on a machine, that trusts whoever has the key.
  def machine(name, *gems, cache: @cache, keys: @key.public_key("ci").to_s, **env)
    there = "#{folder}/#{name}/app" # as a shell says it
    app("#{name}/app", gems: gems, home: "#{name}/home", SPATE_CACHE: cache, SPATE_CACHE_KEYS: keys, PWD: there, **env)
  end

  # What was installed there is sent.
  def push(project, *options, key: @key)
    events(project.spate!("cache", "push", "--json", *options, SPATE_CACHE_KEY: key.to_pem))
  end

  def events(output) = output.lines.grep(/\A\{/).map { |line| JSON.parse(line) }
  def done = @events.find { |event| event["event"] == "done" }
end
