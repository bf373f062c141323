# frozen_string_literal: true

require "support/cached"
$LOAD_PATH << File.expand_path("../../../lib", __dir__) # of the gem spate, whose client it is
require "spate"
require_relative "../../../test/support/fault_proxy"
require_relative "../../../test/support/s3rver"

module Spate
  module Server
    # Nodes over one bucket of a server that speaks S3, with a proxy between them and it that can be as unreliable as
    # asked for.
    module BucketNodes
      BUCKET = "acme-builds"
      # Neither the machine's keys nor its proxy.
      ENVIRONMENT = { "AWS_EC2_METADATA_DISABLED" => "true", "HOME" => "/nonexistent", "http_proxy" => "",
                      "no_proxy" => "*", **S3rver::KEYS }.freeze

      # One of them: a process with a folder of its own.
      class Node
        include Minitest::Assertions
        include Cached

        attr_accessor :assertions
        attr_reader :folder, :port

        def initialize(folder, address, *options, env: ENVIRONMENT)
          @assertions = 0
          @folder = folder
          cache("--cache-bucket=#{address}", *options, wrapper: ["env", *env.map { |pair| pair.join("=") }])
          eventually("it has asked the bucket") { questions.values.sum.positive? }
        end

        def stop(...) = (super if @server)

        # Files that it has open and that have no name any more.
        def unnamed
          Dir.glob("/proc/#{@server}/fd/*").count do |path|
            File.readlink(path).match?(%r{/store/tmp/.* \(deleted\)\z})
          rescue Errno::ENOENT
            false
          end
        end

        def questions
          metrics.select { |name, _| name.start_with?("spate_cache_bucket_requests_total") }
                 .to_h { |name, value| [name[/"(\w+)"/, 1].to_sym, value.to_i] }
        end
      end

      def setup
        @s3 = S3rver.start(folder, BUCKET)
        @proxy = FaultProxy.new(@s3.url).start
        @nodes = []
      rescue RuntimeError, Errno::ENOENT => e
        skip "no s3rver to be had: #{e.message.lines.first.to_s.strip}"
      end

      def teardown
        Array(@nodes).each(&:stop)
        @proxy&.stop
        @s3&.stop(:KILL) # it would wait for connections that are kept
        super
      end

      def address(server = @proxy) = "s3://#{BUCKET}/ruby?endpoint=#{server.url.chomp("/")}"

      def node(*options, **settings)
        home = "#{folder}/node-#{@nodes.size}"
        FileUtils.mkdir_p(home)
        Node.new(home, address, *options, **settings).tap { |node| @nodes << node }
      end

      def nodes(count, ...) = Array.new(count) { node(...) }

      def eventually(...) = @nodes.first.eventually(...)

      # Files of the bucket, below s3rver's own folder.
      def kept = Dir.glob("#{folder}/s3rver/#{BUCKET}/**/*_object")

      def blob(content) = "/cas/#{Digest::SHA256.hexdigest(content)}"
      def document(name) = "/ac/#{Digest::SHA256.hexdigest(name)}"
      def asked(verb) = @proxy.requests.count { |request| request.verb == verb }
      def codes(*answers) = answers.map { |answer| answer.code.to_i }
      def bodies(*answers) = answers.map(&:body)
    end
  end
end
