# frozen_string_literal: true

require "test_helper"
require "socket"

module Spate
  class Settings
    class MirrorsTest < Minitest::Test
      # Names and values with the interface of Settings.
      Configured = Struct.new(:all) do
        def names = all.keys
        def [](name) = all[name]
      end

      def mirrors(values, probe = nil) = Mirrors.from(Configured.new(values), probe: probe)

      # Records the probed addresses.
      class Probe
        attr_reader :asked

        def initialize(answer) = (@answer, @asked = answer, [])
        def replies?(uri, timeout) = (@asked << [uri, timeout]) && @answer
      end

      def test_by_address_by_host_and_for_all
        found = mirrors({ "mirror.http://gems.test/" => "http://one.test",
                          "mirror.private.test" => "http://two.test/" })
        assert_equal "http://one.test/", found.for("http://GEMS.test")
        assert_equal "http://two.test/", found.for("https://private.test:8443/path")
        assert_equal "http://other.test/", found.for("http://other.test")
        everything = mirrors({ "mirror.all" => "http://all.test/", "mirror.http://gems.test/" => "http://one.test" })
        assert_equal "http://all.test/", everything.for("http://gems.test/")
      end

      def test_a_mirror_with_a_time_limit_is_tried_once_a_run
        values = { "mirror.http://gems.test/" => "http://one.test/", "mirror.http://gems.test/.fallback_timeout" => "3" }
        probe = Probe.new(false)
        found = mirrors(values, probe)
        2.times { assert_equal "http://gems.test/", found.for("http://gems.test/") }
        assert_equal [["http://one.test/", 3]], probe.asked
        assert_equal "http://one.test/", mirrors(values, Probe.new(true)).for("http://gems.test/")
        probe = Probe.new(true)
        short = mirrors({ "mirror.all" => "http://one.test/", "mirror.all.fallback_timeout" => "true" }, probe)
        short.for("http://gems.test/")
        assert_in_delta 0.1, probe.asked.first.last
      end

      def test_the_probe_connects
        server = TCPServer.new("127.0.0.1", 0)
        port = server.addr[1]
        assert Mirrors::Probe.replies?("http://127.0.0.1:#{port}/", 1)
        server.close
        refute Mirrors::Probe.replies?("http://127.0.0.1:#{port}/", 1)
        refute Mirrors::Probe.replies?("nonsense", 1)
      end

      def test_limit_without_a_mirror_is_ignored
        refute_predicate mirrors({ "mirror.all.fallback_timeout" => "1" }), :any?
      end
    end
  end
end
