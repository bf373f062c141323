# frozen_string_literal: true

require "test_helper"
require "support/rack_server"

module Spate
  module Server
    # Only trusted proxies can set the scheme of a request.
    class TrustedProxiesTest < Minitest::Test
      include RackServer

      KEYS = %w[rack.url_scheme HTTPS SERVER_PORT].freeze

      def serve_behind(*proxies)
        serve(trusted_proxies: proxies) { |env| [200, {}, [env.values_at(*KEYS).join(" ")]] }
      end

      def ask(*lines, host: "a.test")
        talk(["GET / HTTP/1.1", "host: #{host}", "connection: close", *lines, "", ""].join("\r\n")).lines.last
      end

      def test_trusted_proxy_sets_the_scheme
        serve_behind("127.0.0.0/8")
        ["x-forwarded-proto: https", "x-forwarded-ssl: on", "X-Forwarded-Proto: http, HTTPS",
         "x-forwarded-proto: http\r\nx-forwarded-proto: https"].each do |line|
          assert_equal "https on 443", ask(line), line
          assert_equal "https on 81", ask(line, host: "a.test:81"), line
        end
        assert_equal "https on #{@port}", curl("-H", "x-forwarded-proto: https", "--http2-prior-knowledge", address)
        ["x-forwarded-proto: https, http", "x-forwarded-ssl: off", "x-forwarded-proto: httpsx", "x: https",
         "x-forwarded-proto: \xff,"].each do |line|
          assert_equal "http  80", ask(line), line
        end
      end

      def test_other_clients_cannot_set_the_scheme
        serve_behind("10.0.0.0/8", "::1", "unix")
        assert_equal "http  80", ask("x-forwarded-proto: https")
        assert_equal "http  80", ask("x-forwarded-ssl: on")
      end

      def test_addresses_of_both_versions_and_unix_sockets
        request = lambda do |peer|
          Request.new(verb: "GET", target: "/", version: "HTTP/1.1", headers: { "x-forwarded-proto" => "https" })
                 .tap { |made| made.define_singleton_method(:peer) { peer } }
        end
        proxies = Rack::Environment::TrustedProxies.new(%w[10.0.0.0/8 fd00::/8 unix])
        [nil, "10.1.2.3", "::ffff:10.1.2.3", "fd00::5"].each { |peer| assert proxies.https?(request.call(peer)), peer }
        ["11.1.2.3", "fe80::1", "::1"].each { |peer| refute proxies.https?(request.call(peer)), peer }
        refute Rack::Environment::TrustedProxies.new(%w[10.0.0.0/8]).https?(request.call(nil))
      end

      def test_invalid_network
        error = assert_raises(Error) { Rack.handler(->(_) {}, trusted_proxies: %w[10.0.0.0/99]) }
        assert_match(%r{"10.0.0.0/99" is not an address}, error.message)
      end
    end
  end
end
