# frozen_string_literal: true

require "support/apps"
require "support/boot_gemfile"
require "support/gem_source"
require "support/peers"
require "uri"
require "net/http"
require "rubygems/remote_fetcher"

module Benchmark
  module Team
    # An application, its archives, and a gem source of plain files that has them. "many" is generated, and locked once:
    # 400 gems, sassc among them.
    class App
      FOLDER = File.join(Peers::WORK, "team")
      MIRROR = File.join(FOLDER, "mirror")
      MANY = %w[
        sassc sassc-rails jekyll resque sinatra sequel mongo bunny pg mysql2 rubyzip stripe twilio-ruby octokit
        cucumber guard-rspec pry-byebug google-apis-drive_v3 google-apis-sheets_v4
        aws-sdk-sqs aws-sdk-sns aws-sdk-ses aws-sdk-dynamodb aws-sdk-ec2 aws-sdk-lambda aws-sdk-cloudwatch
        aws-sdk-cloudfront aws-sdk-rds aws-sdk-iam aws-sdk-ecs aws-sdk-ecr aws-sdk-route53 aws-sdk-secretsmanager
        aws-sdk-eks aws-sdk-athena aws-sdk-glue aws-sdk-kinesis aws-sdk-firehose aws-sdk-ssm aws-sdk-sfn aws-sdk-batch
        aws-sdk-cognitoidentityprovider aws-sdk-apigateway aws-sdk-autoscaling aws-sdk-eventbridge
      ].freeze
      PAGES = %w[versions names specs.4.8.gz latest_specs.4.8.gz prerelease_specs.4.8.gz].freeze

      # Names of packages and their versions in a lockfile, as archives are named.
      def self.locked(lockfile) = lockfile.scan(/^    (\S+) \((\S+)\)$/).map { |name, version| "#{name}-#{version}" }

      # Pages and archives of all that was ever collected, as files.
      def self.mirror
        source = GemSource.spawn(folder: "#{FOLDER}/archives")
        FileUtils.mkdir_p(["#{MIRROR}/info", "#{MIRROR}/gems"])
        PAGES.each { |page| page(source, page) }
        names = File.readlines("#{MIRROR}/names", chomp: true).drop(1)
        names.each { |name| page(source, "info/#{name}") }
        Dir.glob("#{FOLDER}/archives/*.gem") do |path|
          link = "#{MIRROR}/gems/#{File.basename(path)}"
          FileUtils.ln(path, link) unless File.exist?(link)
        end
      ensure
        source&.stop
      end

      def self.page(source, name)
        File.binwrite("#{MIRROR}/#{name}", Net::HTTP.get(URI("#{source.url}#{name}")))
      end
      private_class_method :page

      attr_reader :name, :folder

      def initialize(name)
        @name = name
        @folder = File.join(FOLDER, "apps", name)
      end

      # Fetches every archive once from the gem source in use, by Bundler and without building anything. more: other
      # versions, as "name-version".
      def collect(more: [])
        missing = more.reject { |full_name| File.exist?("#{FOLDER}/archives/#{full_name}.gem") }
        return if File.exist?("#{folder}/.complete") && missing.empty?

        FileUtils.mkdir_p(["#{FOLDER}/archives", folder])
        seed
        install unless File.exist?("#{folder}/.complete")
        missing.each { |full_name| fetch(full_name) }
        FileUtils.touch("#{folder}/.complete")
      end

      def lockfile = File.read("#{folder}/Gemfile.lock")

      # In a folder, with another address of the gem source. The block may change the lockfile.
      def copy(target, source)
        FileUtils.mkdir_p(target)
        FileUtils.cp_r("#{folder}/.", target)
        FileUtils.rm_rf(["#{target}/vendor", "#{target}/.complete"])
        %w[Gemfile Gemfile.lock].each do |file|
          text = File.read("#{target}/#{file}").gsub(Spate::TestApps.source, source)
          text = yield(text) if block_given? && file == "Gemfile.lock"
          File.write("#{target}/#{file}", text)
        end
      end

      private

      def seed
        return Spate::TestApps.copy(name, folder) unless name == "many"
        return if File.exist?("#{folder}/Gemfile.lock")

        lines = MANY.map { |gem| BootGemfile.line(gem) }
        File.write("#{folder}/Gemfile", "#{BootGemfile.large}#{lines.join("\n")}\n")
        bundler("lock", BUNDLE_FROZEN: nil)
      end

      def install
        bundler("install", "--quiet", RUBYOPT: "-r#{File.expand_path("../skip_extensions", __dir__)}")
        Dir.glob("#{folder}/vendor/bundle/ruby/*/cache/*.gem") { |path| FileUtils.cp(path, "#{FOLDER}/archives") }
        Peers.aside("#{folder}/vendor")
      end

      def fetch(full_name)
        uri = URI("#{Spate::TestApps.source}/gems/#{full_name}.gem")
        File.binwrite("#{FOLDER}/archives/#{full_name}.gem", Gem::RemoteFetcher.fetcher.fetch_path(uri))
      end

      def bundler(*arguments, **env)
        home = FileUtils.mkdir_p("#{FOLDER}/seed-home").first
        Measure.sample(Peers.clean_env(home).merge(env.transform_keys(&:to_s)), Peers.bundler_command(*arguments),
                       folder)
      end
    end
  end
end
