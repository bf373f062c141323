# frozen_string_literal: true

require "resolve/resolve_case"

# Random gems and Gemfiles. Bundler and Spate must have the same exit status and write the same files.
class RandomResolveTest < ResolveCase
  NAMES = ("a".."l").map { |letter| "gem-#{letter}" }.freeze
  VERSIONS = %w[0.9 1.0 1.0.1 1.1 1.2.rc1 2.0 2.1].freeze
  CASES = ENV["SPATE_TEST_FULL"] ? 40 : 2

  def test_same_files_and_status
    @random = Random.new(Spate.test_seed)
    publish
    CASES.times do |number|
      gemfile = random_gemfile
      apps = %w[bundler spate].to_h { |name| [name, project("#{name}#{number}", gemfile)] }
      compare(apps, %w[lock])
      later = random_gemfile
      apps.each_value { |app| File.write(app.path("Gemfile"), later) }
      [%w[lock], ["lock", "--update", NAMES.sample(random: @random)], %w[lock --add-platform java],
       %w[lock --update --minor], %w[lock --update]].each { |words| compare(apps, words) }
    end
  end

  private

  def compare(apps, words)
    theirs, ours = apps["bundler"].run("bundle", *words), apps["spate"].spate(*words)
    told = "SPATE_SEED=#{Spate.test_seed} #{words.join(" ")}\n#{theirs.first}\n#{ours.first}"

    assert_equal theirs.last.success?, ours.last.success?, told
    assert_equal contents(apps["bundler"]), contents(apps["spate"]), told
  end

  def publish
    NAMES.each do |name|
      VERSIONS.sample(2 + @random.rand(4), random: @random).each do |version|
        facts = { dependencies: dependencies(name), ruby: (">= 9" if @random.rand(8).zero?) }
        platforms = @random.rand(5).zero? ? %w[ruby x86_64-linux java] : %w[ruby]
        platforms.each { |platform| source.add(name, version, platform: platform, **facts) }
      end
    end
  end

  # Depends only on later names, so that there are no cycles.
  def dependencies(name)
    later = NAMES.drop(NAMES.index(name) + 1).sample(@random.rand(3), random: @random)
    later.to_h { |other| [other, requirement] }
  end

  def requirement
    version = VERSIONS.sample(random: @random)
    [">= 0", ">= 0", ">= #{version}", "~> #{version}", "< #{version}", "!= #{version}"].sample(random: @random)
  end

  def random_gemfile
    names = NAMES.sample(1 + @random.rand(5), random: @random)
    lines = names.map { |name| "gem '#{name}'#{", '#{requirement}'" if @random.rand(3).zero?}" }
    ["source '#{source.url}'", *lines, ""].join("\n")
  end
end
