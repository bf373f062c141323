# frozen_string_literal: true

require "resolve/resolve_case"
require "support/apps"

# Bundler and Spate resolve the same Gemfiles with the gems of the configured source, and must write the same files.
#
#   SPATE_TEST_GEMFILES=FOLDER   applications: a folder with Gemfile and perhaps Gemfile.lock for each
#   SPATE_TEST_CASES=NUMBER      of random Gemfiles
class RealGemsTest < ResolveCase
  CASES = Integer(ENV.fetch("SPATE_TEST_CASES", "10"), 10)
  # Gems with many versions, platforms or dependencies.
  NAMES = %w[
    actionpack activerecord activeadmin administrate aws-sdk-s3 bootsnap brakeman bullet byebug cancancan capybara
    carrierwave chartkick codecov concurrent-ruby cucumber dalli delayed_job devise doorkeeper dotenv-rails
    dry-validation elasticsearch factory_bot_rails faker faraday ffi fog-aws friendly_id geocoder good_job
    google-protobuf grape graphql grpc guard-rspec haml hanami-router httparty i18n-tasks image_processing
    importmap-rails jbuilder jekyll jsbundling-rails jwt kaminari letter_opener liquid listen lograge mail minitest
    mongoid mysql2 newrelic_rpm nokogiri octokit omniauth-google-oauth2 pagy paper_trail pg pghero puma pundit
    rack-attack rack-cors rails ransack redis resque roda rollbar rspec-rails rubocop-rails ruby-lsp sassc-rails
    scout_apm sentry-rails sequel shoulda-matchers shrine sidekiq simple_form simplecov sinatra slim solid_queue
    sorbet spring sqlite3 stimulus-rails stripe tailwindcss-rails thor turbo-rails tzinfo-data vcr view_component
    webmock web-console will_paginate zeitwerk
  ].freeze
  PLATFORMS = %w[java x86_64-darwin arm64-darwin x64-mingw-ucrt aarch64-linux].freeze

  def setup
    super
    skip "no newer Bundler" unless NewestBundler.folder
    @homes = %w[bundler spate].to_h { |name| [name, File.join(folder, "#{name}-home")] }
    @differences = []
  end

  def test_applications
    applications = Dir.glob("#{ENV.fetch("SPATE_TEST_GEMFILES", TestAppsFolder)}/*/Gemfile").sort
    skip "no application in SPATE_TEST_GEMFILES" if applications.empty?
    applications.each do |gemfile|
      texts = [gemfile, "#{gemfile}.lock"].map { |path| real(File.read(path)) if File.exist?(path) }
      compare_all(File.basename(File.dirname(gemfile)), *texts)
    end
    assert_empty @differences
  end

  def test_random_gemfiles
    random = Random.new(Spate.test_seed)
    CASES.times { |number| compare_all("#{Spate.test_seed}-#{number}", random_gemfile(random), nil, random) }
    assert_empty @differences
  end

  TestAppsFolder = Spate::TestApps::FOLDER
  private_constant :TestAppsFolder

  private

  def real(text) = text.gsub("__SOURCE__", Spate::TestApps.source)

  # Compares the six kinds of changes, one after the other, beginning with the same files.
  def compare_all(label, gemfile, lock, random = Random.new(Spate.test_seed))
    @pair = @homes.to_h { |name, home| [name, project_in("#{label}/#{name}", gemfile, lock, home)] }
    return unless same?(label, %w[lock])

    names = File.read(@pair["spate"].path("Gemfile.lock")).scan(/^    (\S+) \(/).flatten.uniq
    one, added = names.sample(random: random), (NAMES - names).sample(random: random)
    [[["lock", "--add-platform", PLATFORMS.sample(random: random)]],
     [["update", one, "--skip-install"], ["lock", "--update", one]],
     [["add", added, "--skip-install"]],
     [["remove", added, "--skip-install"], ["lock"]],
     [%w[update --all --skip-install], %w[lock --update]]].each { |change| break unless same?(label, *change) }
  ensure
    FileUtils.rm_rf(File.join(folder, label))
  end

  # theirs: Bundler's command for the same change, if it differs. Repeats a comparison that differs, because a gem may
  # have been published in between. Returns whether both tools succeeded and wrote the same files.
  def same?(label, ours, theirs = nil)
    before = contents(@pair["spate"])
    2.times do
      results = [@pair["spate"].spate(*ours), bundle(ours, theirs)]
      return results.last.last.success? if same_results?(results)

      @told = ["#{label}: spate #{ours.join(" ")}", *results.map { |text, _| text[-2000..] || text }, difference]
      @pair.each_value { |app| before.each { |name, text| text && File.write(app.path(name), text) } }
    end
    @differences << @told.join("\n")
    warn @told
    false
  end

  # `bundle remove` would install: Bundler gets the changed Gemfile (test/resolve/bundler_test.rb compares the changes).
  # `bundle add --skip-install` leaves the new requirement out of the lockfile.
  def bundle(ours, theirs)
    File.write(@pair["bundler"].path("Gemfile"), contents(@pair["spate"])["Gemfile"]) if ours.first == "remove"
    result = @pair["bundler"].run("bundle", *(theirs || ours))
    ours.first == "add" && result.last.success? ? @pair["bundler"].run("bundle", "lock") : result
  end

  def same_results?(results)
    ended = results.map { |_, status| status.success? }
    ended.uniq.size == 1 && @pair.values.map { |app| contents(app) }.uniq.size == 1
  end

  def difference
    Open3.capture2("diff", "-ru", *@pair.values.map(&:folder)).first
  end

  def project_in(name, gemfile, lock, home)
    app = Spate::TestProject.new(File.join(folder, name), gemfile, home: home, env: NewestBundler.environment)
    File.write(app.path("Gemfile.lock"), lock) if lock
    app
  end

  # Requirements are those of versions that exist, mostly.
  def random_gemfile(random)
    gems = NAMES.sample(1 + random.rand(12), random: random).map do |name|
      next %(gem "#{name}") if random.rand(3).positive?

      %(gem "#{name}", "#{[">=", "~>", "<", "!="].sample(random: random)} #{random.rand(8)}.#{random.rand(4)}")
    end
    [%(source "#{Spate::TestApps.source}"), *gems, ""].join("\n")
  end
end
