# frozen_string_literal: true

require "support/app_case"
require "support/bundle_places"
require "json"

# Ten real gems with extensions. Installed in one kind of bundle, then in the others: nothing may be compiled twice.
class SharedBuildsTest < Spate::AppCase
  GEMS = { "bcrypt" => "3.1.20", "bigdecimal" => "3.1.8", "json" => "2.9.1", "msgpack" => "1.7.5", "nio4r" => "2.7.4",
           "prism" => "1.2.0", "puma" => "6.4.3", "racc" => "1.8.1", "stringio" => "3.1.2",
           "strscan" => "3.1.0" }.freeze

  Spate::BundlePlaces.kinds.each do |first|
    define_method(:"test_builds_of_#{first}") do
      built, cpu = install(first, "first")

      assert_equal GEMS.keys, built
      (Spate::BundlePlaces.kinds - [first]).each do |second|
        built, again = install(second, "some/where/deep/#{second}")
        puts format("%s: %.1f s; then %s: %d built, %.1f s", first, cpu, second, built.size, again) if tell?

        assert_empty built, "#{first} to #{second}: #{@reasons}"
      end
    end
  end

  private

  def tell? = ENV["SPATE_TEST_TELL"]

  # [names of the gems that were built, CPU seconds of the whole install]
  def install(kind, name)
    before = Process.times
    output = project(kind, name).spate!("install", "--json", BUNDLE_FROZEN: "true")
    after = Process.times
    events = output.lines.grep(/\A\{/).map { |line| JSON.parse(line) }
    @reasons = events.filter_map { |event| event["anew"] }
    built = events.select { |event| event["event"] == "build_done" && !event["cached"] }
    [built.map { |event| event["name"] }.sort, after.cutime + after.cstime - before.cutime - before.cstime]
  end

  def project(kind, name)
    places = "#{folder}/places"
    env = Spate::BundlePlaces.env(kind, places)
    project = Spate::TestProject.new("#{folder}/#{name}", gemfile, home: "#{places}/home", env: env)
    File.write(project.path("Gemfile.lock"), lock)
    kind == "default" ? Spate::BundlePlaces.own_default(project, places) : project
  end

  def lock
    @lock ||= begin
      project = Spate::TestProject.new("#{folder}/lock", gemfile, home: "#{folder}/home-lock")
      project.lock
      File.read(project.path("Gemfile.lock"))
    end
  end

  def gemfile
    registry = Gem.sources.first&.uri or skip "no gem source is set"
    "source '#{registry}'\n#{GEMS.map { |name, version| "gem '#{name}', '#{version}'\n" }.join}"
  end
end
