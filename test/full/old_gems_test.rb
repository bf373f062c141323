# frozen_string_literal: true

require "install/install_case"
require "rubygems/remote_fetcher"

# Real gems from 2006 to 2014, packed by the RubyGems of that time, from the configured gem source. `gem` and Spate must
# install the same paths.
class OldGemsTest < InstallCase
  GEMS = %w[
    rake-0.7.1 rails-1.1.6 builder-2.1.2 redgreen-1.2.2 diff-lcs-1.1.2 mime-types-1.16 xml-simple-1.0.12 rake-0.8.7
    abstract-1.0.0 erubis-2.6.6 activesupport-2.3.5 actionpack-2.3.5 rack-1.0.1 sinatra-0.9.4 term-ansicolor-1.0.4
    rest-client-1.0.3 polyglot-0.3.0 treetop-1.4.3 will_paginate-2.3.11 cucumber-0.3.101 webrat-0.5.3 shoulda-2.10.2
    mail-2.2.5 rack-mount-0.6.9 i18n-0.4.1 tzinfo-0.3.22 bson-1.0.4 arel-0.4.0
    capistrano-2.15.5 hashie-1.2.0 sass-3.2.10 multi_json-1.7.9 faraday-0.8.8 stripe-1.8.5 subexec-0.2.3
    uglifier-2.1.2 honeybadger-1.8.0 selenium-webdriver-2.35.0
  ].freeze
  NAME = /\A(.*)-([\d.]+)\z/

  def test_each_is_installed_as_gem_installs_it
    archives = GEMS.to_h { |gem| [gem, fetched(gem)] }
    theirs = File.join(folder, "theirs")
    archives.each_value { |path| gem_install(path, theirs) }
    newest_of_each.each { |gems| compare(gems, theirs) }
  end

  private

  def fetched(gem)
    bytes = Gem::RemoteFetcher.fetcher.fetch_path(Gem.sources.first.uri + "gems/#{gem}.gem")
    File.join(folder, "#{gem}.gem").tap { |path| File.binwrite(path, bytes) }
  rescue Gem::RemoteFetcher::FetchError => e
    skip "the gem source does not answer: #{e.message.lines.first}"
  end

  def gem_install(path, target)
    output, status = Open3.capture2e("gem", "install", "--local", "--ignore-dependencies", "--no-document", "--force",
                                     "--env-shebang", "--install-dir", target, path)
    assert_predicate status, :success?, output
  end

  # A bundle can contain one version of a gem, so each version is in another bundle.
  def newest_of_each
    groups = GEMS.group_by { |gem| gem[NAME, 1] }.values
    Array.new(groups.map(&:size).max) { |index| groups.filter_map { |versions| versions[index] } }
  end

  def compare(gems, theirs)
    gems.each do |gem|
      recipe = GemSource::Recipe.new(gem[NAME, 1], gem[NAME, 2])
      @source.catalog.add(recipe, File.binread(File.join(folder, "#{gem}.gem")))
    end
    app = app("app-#{gems.size}", gems: gems.map { |gem| gem[NAME, 1] })
    assert_installs(app, *gems)
    gems.each do |gem|
      assert_equal File.read("#{theirs}/specifications/#{gem}.gemspec"),
                   File.read("#{app.bundle_root}/specifications/#{gem}.gemspec")
      assert_empty Spate::TreeComparison.differences(*["#{theirs}/gems/#{gem}", "#{app.bundle_root}/gems/#{gem}"]
        .map { |root| Spate::TreeComparison.snapshot(root) })
    end
  end
end
