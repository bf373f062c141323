# frozen_string_literal: true

require "test_helper"
require "digest"
require "support/bucket_nodes"

module Spate
  module Server
    # What those wait for who ask a bucket, whose client is as slow as the test says.
    class CacheBucketThreadsTest < Minitest::Test
      THREADS = Cache::Bucket::THREADS

      def setup
        @client = Object.new
        { head: ->(_) {}, close: -> {} }.each { |name, block| @client.define_singleton_method(name, &block) }
        @node = Cache::BucketNode.new("#{folder}/node", bucket: @client, access: Cache::Access.new(anyone: true))
        @answers = Thread::Queue.new
      end

      # Whom no thread takes in time is told so then, and not when one is free; nothing is done for him later.
      def test_who_waits_for_too_long
        gate = Thread::Queue.new
        asked = Thread::Queue.new
        @client.define_singleton_method(:pieces) { |name, **| (asked << name) && gate.pop }
        (THREADS + 1).times { |index| ask(blob(index)) }
        taken = Array.new(THREADS) { Timeout.timeout(5) { asked.pop } }
        @node.tick
        assert_empty @answers
        @node.tick(Process.clock_gettime(Process::CLOCK_MONOTONIC) + Cache::Bucket::PATIENCE + 1)
        assert_equal 503, answer.status
        gate.close
        assert_equal [404], Array.new(THREADS) { answer.status }.uniq
        @node.close
        assert_equal [THREADS, true, true], [taken.uniq.size, asked.empty?, @answers.empty?]
      ensure
        gate.close
      end

      # Lists that nobody reads are in the way of lists alone.
      def test_lists_that_nobody_reads
        names = Array.new(3000) { |index| ["cas/#{Digest::SHA256.hexdigest(index.to_s)}", 1, Time.now] }
        @client.define_singleton_method(:each) { |_| names.each }
        @client.define_singleton_method(:pieces) { |_, **| nil }
        THREADS.times { ask("/cas/") }
        lists = Array.new(THREADS) { answer }
        ask(blob(0))
        assert_equal [[200], 404], [lists.map(&:status).uniq, answer.status]
      ensure
        lists&.each { |list| list.body.close }
        @node.close
      end

      private

      def blob(index) = "/cas/#{Digest::SHA256.hexdigest(index.to_s)}"
      def answer = Timeout.timeout(5) { @answers.pop }

      def ask(target)
        request = Request.new(verb: "GET", target: target, headers: {}, version: "HTTP/1.1")
        answers = @answers
        request.define_singleton_method(:answer) { |response| answers << response }
        @node.call(request)
      end
    end
  end
end
