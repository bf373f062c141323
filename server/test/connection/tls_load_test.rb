# frozen_string_literal: true

require "test_helper"
require "support/tls_running"

module Spate
  module Server
    # Connection::TLS.load accepts certificates and keys of all kinds, and reports what is wrong with others.
    class TLSLoadTest < Minitest::Test
      include TLSRunning

      def load(cert, key = nil) = Connection::TLS.load(cert: cert, key: key)

      def refused(...)
        error = assert_raises(Connection::TLS::Error) { load(...) }
        assert_equal 9, error.exit_code
        error
      end

      def test_kinds_of_keys
        issuer = certificate("root", subject: "Root").last(2)
        KINDS.each_key do |kind|
          cert, key = certificate(kind.to_s, kind: kind, issuer: issuer)
          settings = load(cert, key)
          refute_predicate settings, :self_signed?
          assert_equal cert, settings.certificate
          assert_in_delta Time.now.to_i + 86_400, settings.context.not_after, 60
          both = write("#{kind}-both.pem", File.read(key) + File.read(cert))
          assert load(both), "one file for both"
        end
      end

      def test_unreadable_files
        assert_match(%r{/none\.crt cannot be read: No such file or directory\z}, refused("#{folder}/none.crt").message)
        assert_match(/cannot be read: Is a directory\z/, refused(folder).message)
        cert, = certificate("a")
        assert_match(%r{/none\.key cannot be read}, refused(cert, "#{folder}/none.key").message)
        error = assert_raises(Connection::TLS::Error) { Connection::TLS.load(key: "a.key") }
        assert_match(/a key without a certificate/, error.message)
        assert_match(/--cert/, error.hint)
      end

      def test_error_names_the_content_of_the_file
        cert, key, made = certificate("a")
        assert_match(/a\.key: expected a certificate, found [A-Z ]*PRIVATE KEY only/, refused(key, key).message)
        assert_match(%r{/a\.crt: expected a private key, found CERTIFICATE only\z}, refused(cert, cert).message)
        error = refused(write("a.der", made.to_der), key)
        assert_match(/expected a certificate, found nothing in PEM/, error.message)
        assert_match(/DER/, error.hint)
        assert_match(/nothing in PEM/, refused(write("empty", ""), key).message)
      end

      def test_damaged_files
        cert, key = certificate("a")
        torn = write("torn.crt", File.read(cert).lines.reject.with_index { |_, n| n == 3 }.join)
        assert_match(/torn\.crt: expected a usable certificate; libssl reports: \w+/, refused(torn, key).message)
        chain = write("chain.crt", File.read(cert) + File.read(torn))
        assert_match(/chain\.crt: expected a usable certificate/, refused(chain, key).message)
        torn = write("torn.key", File.read(key).sub(/[A-Za-z]{8}/, "AAAA"))
        assert_match(/torn\.key: expected a usable private key/, refused(cert, torn).message)
      end

      def test_a_passphrase_is_not_asked_for
        cert, _, _, made = certificate("a")
        locked = write("locked.key", made.private_to_pem("aes-256-cbc", "secret"))
        error = refused(cert, locked)
        assert_match(/locked\.key: .*a passphrase protects it/, error.message)
        assert_match(/openssl pkey/, error.hint)
      end

      def test_pairs_that_do_not_fit
        cert, = certificate("a")
        %i[ec rsa].each do |kind|
          _, other = certificate("b", kind: kind)
          assert_match(%r{/b\.key does not belong to the certificate in .*/a\.crt}, refused(cert, other).message)
        end
      end

      def test_time
        cert, key = certificate("old", days: -1)
        error = refused(cert, key)
        assert_match(/old\.crt: the certificate is only valid from [\d-]+ .*UTC to [\d-]+/,
                     error.message)
        assert_match(/renew/, error.hint)
      end

      # The server sends the intermediate certificate, because the client knows only the root.
      def test_a_chain
        root, _, root_made, root_key = certificate("root", subject: "Root", kind: :rsa)
        middle, _, middle_made, middle_key = certificate("middle", subject: "Middle", issuer: [root_made, root_key])
        leaf, key = certificate("leaf", issuer: [middle_made, middle_key])
        chain = write("chain.pem", File.read(leaf) + File.read(middle))
        write("hello.txt", "hello\n")
        serve_tls(cert: chain, key: key)
        assert_equal "hello\n", client("curl", "-sS", "--cacert", root, secure("/hello.txt"))
        stop
        serve_tls(cert: leaf, key: key)
        out, status = Open3.capture2e("curl", "-sS", "--cacert", root, secure("/hello.txt"))
        refute_predicate status, :success?
        assert_match(/certificate/, out)
      end

      # Open connections keep their certificate. An invalid pair changes nothing, and the next valid pair is used.
      def test_reload
        write("hello.txt", "hello\n")
        cert, key, first = certificate("live")
        serve_tls(cert: cert, key: key)
        old = connect
        _, _, second = certificate("live")
        assert_equal "reloaded\n", hang_up
        assert_equal [first, second].map(&:serial), [old, connect].map { |socket| socket.peer_cert.serial }
        assert_match(/\r\n\r\nhello\n\z/, get(old))
        write("live.key", "nothing")
        assert_match(/\Anot reloaded: .*live\.key: expected a private key/, hang_up)
        assert_equal second.serial, connect.peer_cert.serial
        _, _, third = certificate("live")
        assert_equal "reloaded\n", hang_up
        assert_equal third.serial, connect.peer_cert.serial
      end

      # Workers forked from one process accept each other's session tickets until the certificate changes.
      def test_ticket_keys
        cert, key = certificate("a")
        settings = load(cert, key)
        before, same = Array.new(2) { settings.reload && session(settings) }
        other = session(load(cert, key))
        certificate("a")
        after = session(settings.reload)
        taken = [before, same, other, after].map { |keys| keys == before }
        assert_equal [true, true, false, false], taken
      end

      # Returns the name of the key that encrypted the ticket: its first 16 bytes (RFC 5077, section 4).
      def session(settings)
        ours, theirs = Socket.pair(:UNIX, :STREAM)
        connection = Native::TLSConnection.new(settings.context, ours.fileno)
        context = OpenSSL::SSL::SSLContext.new
        context.max_version = OpenSSL::SSL::TLS1_2_VERSION
        client = OpenSSL::SSL::SSLSocket.new(theirs, context)
        buffer = ArrayBuffer.new(100)
        connection.receive(buffer, 0) while client.connect_nonblock(exception: false).is_a?(Symbol)
        client.session.to_text[/TLS session ticket:\n\s+0000 - (.*?)  /, 1]
      ensure
        [ours, theirs].each(&:close)
      end

      def hang_up
        Process.kill(:HUP, @server)
        Timeout.timeout(10) { @log.gets }
      end
    end
  end
end
