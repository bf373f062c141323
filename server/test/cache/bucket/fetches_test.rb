# frozen_string_literal: true

require "test_helper"
require "digest"
require "support/bucket_nodes"

module Spate
  module Server
    # Blobs on their way, with a bucket and connections whose turns come when the test says so.
    class CacheBucketFetchesTest < Minitest::Test
      CONTENT = Random.new(1).bytes(1 << 20).freeze
      NAME = Cache::Name.new("cas", Digest::SHA256.hexdigest(CONTENT)).freeze

      # A connection whose letters lie until they are delivered, in their order.
      class Connection < Thread::Queue
        def post(&block) = push(block)
        def deliver = (pop.call until empty?)
      end

      def setup
        @client = Object.new
        @client.define_singleton_method(:close) { nil }
        @bucket = Cache::Bucket.new(@client, Monitoring::Metrics.new(Monitoring::Metrics.counters(1), 1))
        @files = Cache::Folder.new("#{folder}/node")
        @fetches = Cache::Bucket::Fetches.new(@bucket, @files, nil) { nil }
        @connection = Connection.new
        @told = []
      end

      def teardown
        @bucket.close
        super
      end

      # Whoever was told that it begins has the file, also where it was over before his turn.
      def test_one_that_is_over_before_anybody_is_told_that_it_began
        answers { |&block| block.call(CONTENT, CONTENT.bytesize) }
        fetch { |growth| growth.body.tap { @growth = growth } }
        wait_for(2)
        @connection.deliver
        body = @told.fetch(0).first
        assert_equal CONTENT.bytesize, body.length
        body.close
        assert_raises(IOError, "nobody else") { @growth.body }
      end

      # What is no StandardError is an answer as well, and the next one asks anew.
      def test_one_that_cannot_be_loaded
        answers { raise LoadError, "cannot load such file -- time" }
        2.times do
          fetch { flunk }
          wait_for(1)
          @connection.deliver
        end
        assert_equal [[nil, 500]] * 2, (@told.map { |found, fault| [found, fault.first] })
        assert_empty Dir.children("#{@files.path}/tmp")
      end

      # Its file is closed by then; nothing of it stays.
      def test_one_that_has_no_place
        Dir.mkdir("#{@files.path}/#{NAME.file}")
        answers { |&block| block.call(CONTENT, CONTENT.bytesize) }
        fetch(growing: false) { flunk }
        wait_for(2)
        @connection.deliver
        assert_equal [409, "A folder is in its place."], @told.fetch(0).last.first(2)
        assert_empty Dir.children("#{@files.path}/tmp")
      end

      private

      def answers(&block) = @client.define_singleton_method(:pieces) { |_, limit:, &taken| block.call(limit, &taken) }

      def fetch(growing: true)
        request = Struct.new(:connection).new(@connection)
        @fetches.fetch(request, NAME, growing: growing) { |found, fault| @told << [found && yield(found), fault] }
      end

      def wait_for(letters)
        Timeout.timeout(5) { sleep(0.005) until @connection.size == letters }
      end
    end
  end
end
