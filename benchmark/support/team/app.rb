# frozen_string_literal: true

require "support/apps"
require "support/gem_source"
require "support/peers"
require "uri"
require "net/http"
require "rubygems/remote_fetcher"

module Benchmark
  module Team
    # An application, its archives, and a gem source of static files with these archives. "many" is generated, and
    # locked only once.
    class App
      FOLDER = File.join(Peers::WORK, "team")
      MIRROR = File.join(FOLDER, "mirror")
      # "many" is this application without its JavaScript engine, which is larger than all of its other gems, and with
      # the clients of SERVICES.
      LARGEST = "human-essentials"
      ENGINE = /^\s*gem "mini_racer".*\n/
      SERVICES = %w[
        accessanalyzer account acm amplify apigateway apigatewayv2 appconfig appflow applicationautoscaling
        applicationinsights appmesh appstream appsync athena auditmanager autoscaling backup backupgateway batch
        braket budgets chime cloud9 cloudcontrolapi clouddirectory cloudformation cloudfront cloudhsm cloudsearch
        cloudtrail cloudwatch cloudwatchevents cloudwatchlogs codeartifact codebuild codecommit codedeploy
        codegurureviewer codepipeline codestarconnections cognitoidentity cognitoidentityprovider comprehend
        computeoptimizer configservice connect costexplorer databasemigrationservice dataexchange datapipeline
        datasync dax detective devicefarm directconnect directoryservice dlm docdb dynamodb dynamodbstreams ebs ec2
        ecr ecrpublic ecs efs eks elasticache elasticbeanstalk elasticloadbalancing elasticloadbalancingv2
        elasticsearchservice emr eventbridge finspace firehose fms forecastservice frauddetector fsx gamelift
        glacier globalaccelerator glue greengrass guardduty health healthlake iam imagebuilder inspector iot
        iotanalytics iotevents iotwireless ivs kafka kendra keyspaces kinesis kinesisanalytics kinesisvideo kms
        lakeformation lambda lex licensemanager lightsail locationservice machinelearning macie2 mediaconvert
        medialive mq
        neptune opsworks organizations personalize pinpoint polly pricing quicksight ram rds redshift rekognition
        resourcegroups route53 route53domains s3 sagemaker secretsmanager securityhub servicecatalog
        servicediscovery ses sesv2 shield signer sns sqs ssm states storagegateway support swf textract
        transcribeservice transfer translate waf wafv2 workdocs workmail workspaces xray
      ].freeze
      PAGES = %w[versions names specs.4.8.gz latest_specs.4.8.gz prerelease_specs.4.8.gz].freeze

      # The full names ("name-version") of all gems in a lockfile.
      def self.locked(lockfile) = lockfile.scan(/^    (\S+) \((\S+)\)$/).map { |name, version| "#{name}-#{version}" }

      # Writes index pages and archives of all collected gems as files.
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

      # Fetches every archive once from the machine's gem source, with Bundler and without building extensions. more:
      # additional versions, as "name-version".
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

      # Copies the application to a folder, with a different address of the gem source. The block may change the
      # lockfile.
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
        return if File.exist?("#{folder}/.locked")

        Spate::TestApps.copy(LARGEST, folder)
        clients = SERVICES.map { |service| "gem \"aws-sdk-#{service}\", require: false\n" }
        File.write("#{folder}/Gemfile", File.read("#{folder}/Gemfile").sub(ENGINE, "") + clients.join)
        bundler("lock", BUNDLE_FROZEN: nil)
        FileUtils.touch("#{folder}/.locked")
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
