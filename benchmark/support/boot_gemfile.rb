# frozen_string_literal: true

module Benchmark
  # Gemfiles of the generated applications, with the gem source of this machine's RubyGems.
  module BootGemfile
    # Popular gems for authentication, records, views, jobs, services and monitoring. They need neither a running
    # service nor a long native build.
    POPULAR = %w[
      sprockets-rails importmap-rails turbo-rails stimulus-rails jbuilder puma
      devise omniauth omniauth-rails_csrf_protection omniauth-google-oauth2 omniauth-github pundit cancancan
      rolify friendly_id kaminari ransack simple_form haml-rails slim-rails paper_trail audited discard acts_as_list
      acts-as-taggable-on ancestry aasm statesman store_model strong_migrations groupdate chartkick
      sidekiq sidekiq-cron delayed_job_active_record redis faraday faraday-retry httparty multi_json
      graphql grape grape-entity active_model_serializers jsonapi-serializer blueprinter money-rails rotp
      aws-sdk-s3 shrine carrierwave prawn prawn-table caxlsx roo view_component phlex-rails administrate geocoder
      ahoy_matey sentry-rails sentry-sidekiq lograge rack-cors rack-attack secure_headers
      flipper-active_record flipper-ui dotenv-rails config rails-i18n mobility dry-validation
      dry-struct devise-i18n interactor wisper postmark-rails rqrcode kramdown premailer-rails inline_svg meta-tags
      country_select phonelib
    ].freeze

    DEVELOPMENT = %w[
      rspec-rails factory_bot_rails faker bullet rack-mini-profiler web-console letter_opener annotate
      rubocop-rails rubocop-rspec rubocop-performance brakeman bundler-audit erb_lint
    ].freeze
    TEST = %w[
      capybara selenium-webdriver webmock vcr timecop shoulda-matchers simplecov database_cleaner-active_record
      rails-controller-testing
    ].freeze

    # Gems with `require: false`, as their documentation recommends.
    UNLOADED = %w[
      rubocop-rails rubocop-rspec rubocop-performance brakeman bundler-audit erb_lint simplecov
    ].freeze

    # Versions for Ruby 3.1. Later versions need a newer RubyGems than Debian's Ruby 3.1 has, take minutes to build, or
    # do not run on 3.1 although their gemspec allows it.
    PINS = { "nokogiri" => "~> 1.16.0", "sqlite3" => "~> 1.7.0", "irb" => "~> 1.14.0", "rdoc" => "~> 6.6.0",
             "ffi" => "~> 1.16.0", "grape" => "~> 2.0", "dry-schema" => "~> 1.13.0" }.freeze

    # The same for gems of a group, which must not be loaded in all environments.
    GROUP_PINS = { "selenium-webdriver" => "~> 4.20.0" }.freeze

    module_function

    def old_ruby? = RUBY_VERSION < "3.2"
    def pins = old_ruby? ? PINS : { "sqlite3" => ">= 2.1" }

    # About ninety gems and the newest Rails for this Ruby (7.2 or 8.1).
    def large
      [source, line("rails", old_ruby? ? "~> 7.2.0" : "~> 8.1.0"),
       *(POPULAR | pins.keys).map { |name| line(name) },
       *group(:development, DEVELOPMENT), *group(:test, TEST), ""].join("\n")
    end

    # The gems of `rails new --minimal`.
    def small
      pinned = pins.slice("nokogiri", "irb", "rdoc")
      [source, line("rails", old_ruby? ? "~> 7.1.0" : "~> 8.1.0"),
       *(%w[sprockets-rails puma sqlite3] + pinned.keys).map { |name| line(name) }, ""].join("\n")
    end

    # A literal URL. Calling Gem.sources in a Gemfile would make RubyGems read its settings, which loads the bundle's
    # psych.
    def source = "source #{Spate::TestApps.source.dump}"

    def group(name, gems) = ["group :#{name} do", *gems.map { |gem| "  #{line(gem)}" }, "end"]

    def line(name, version = pins[name] || (GROUP_PINS[name] if old_ruby?))
      words = [name, version].compact.map(&:dump).join(", ")
      "gem #{words}#{", require: false" if UNLOADED.include?(name)}"
    end
  end
end
