# frozen_string_literal: true

require "test_helper"
require "support/tls_running"

module Spate
  module Server
    # `spate-serve --tls` makes a certificate or loads the given one, reloads it at SIGHUP, and rejects invalid ones.
    class TLSCommandTest < Minitest::Test
      include TLSRunning

      def setup
        write("www/hello.txt", "hello\n")
      end

      def www = File.join(folder, "www")
      def authority = File.join(folder, "home/server/tls/localhost.crt")
      def serve(*options) = super(www, *options, wrapper: ["env", "SPATE_HOME=#{folder}/home"])

      def refuse(*options)
        Open3.capture2e("timeout", "20", *COMMAND, www, "--port", "0", *options).then do |out, status|
          assert_equal 9, status.exitstatus, out
          out
        end
      end

      def test_without_a_certificate
        serve("--tls")
        assert_equal "hello\n", curl("--http2", secure("/hello.txt"))
        assert_match(/certificate: curl --cacert #{Regexp.escape(authority)}$/, stop.last)
      end

      # Every worker reloads the certificate, and resumes sessions that another worker started.
      def test_workers_and_a_new_certificate
        cert, key, first = certificate("live")
        serve("--cert", cert, "--key", key, "--workers", "2")
        assert_equal [first.serial], serials
        _, _, second = certificate("live")
        Process.kill(:HUP, @server)
        eventually(10) { serials == [second.serial] }
        File.write(key, "nothing")
        Process.kill(:HUP, @server)
        assert_equal [second.serial], serials
        session = first_session
        6.times { assert_predicate resume(session), :session_reused? }
        assert_match(/live\.key/, stop.last)
      end

      def serials
        Array.new(8) { connect.tap(&:close).peer_cert.serial }.uniq
      end

      def first_session
        socket = connect { |context| context.max_version = OpenSSL::SSL::TLS1_2_VERSION }
        socket.session.tap { socket.close }
      end

      def resume(session)
        context = OpenSSL::SSL::SSLContext.new
        context.max_version = OpenSSL::SSL::TLS1_2_VERSION
        socket = OpenSSL::SSL::SSLSocket.new(TCPSocket.new("127.0.0.1", @port), context)
        socket.session = session
        socket.sync_close = true
        socket.connect.tap(&:close)
      end

      def test_invalid_certificates
        cert, key = certificate("a")
        assert_match(/^error: .*none\.crt cannot be read.*\nhint: /, refuse("--cert", "#{folder}/none.crt"))
        assert_match(/^error: .*a\.crt: expected a private key/, refuse("--cert", cert))
        assert_match(/^error: .*a key without a certificate\nhint: .*--cert/, refuse("--key", key))
      end
    end
  end
end
