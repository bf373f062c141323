# frozen_string_literal: true

require "test_helper"
require "support/rack_server"

module Spate
  module Server
    # The callables of rack.response_finished and rack.after_reply run once after each response.
    class RackCallbacksTest < Minitest::Test
      include RackServer

      REQUEST = "GET %s HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"

      def parts(*parts) = Enumerator.new { |yielder| parts.each { |part| yielder << part } }

      def serve_with_callbacks
        @told = Thread::Queue.new
        file = write("file", "abc")
        bodies = { "/array" => ["a"], "/parts" => parts("a", "b"), "/file" => Struct.new(:to_path).new(file),
                   "/stream" => ->(stream) { stream.write("a") && stream.close } }
        serve do |env|
          env["rack.after_reply"] << -> { @told << :after }
          env["rack.response_finished"] << ->(_, status, *) { @told << status }
          [200, {}, bodies.fetch(env["PATH_INFO"])]
        end
      end

      def test_callables_run_after_each_kind_of_response
        serve_with_callbacks
        %w[/array /parts /file /stream].each do |path|
          assert_match(%r{\AHTTP/1.1 200 }, talk(format(REQUEST, path)), path)
          assert_equal [200, :after], [take(@told), take(@told)], path
        end
        assert_match(%r{\AHTTP/1.1 500 }, talk(format(REQUEST, "/unknown")))
        assert_equal [nil, :after], [take(@told), take(@told)]
        assert_empty @told
      end

      def test_errors_are_logged_and_the_next_callable_runs
        told = Thread::Queue.new
        serve do |env|
          env["rack.after_reply"] << -> { raise "first" } << -> { told << :second }
          env["rack.response_finished"] << ->(*) { raise "finished" }
          raise "application" if env["PATH_INFO"] == "/raise"

          [200, {}, ["a"]]
        end
        %w[/ /raise].each do |path|
          talk(format(REQUEST, path))
          assert_equal :second, take(told)
          log = logged
          assert_match(/finished.*first/m, log, path)
          assert_equal path == "/raise", log.include?("application")
        end
      end

      def test_application_may_replace_nothing_but_add
        serve do |env|
          (env["rack.after_reply"] ||= []) << -> { @after = true }
          [200, {}, []]
        end
        talk(format(REQUEST, "/"))
        eventually { @after }
      end
    end
  end
end
