# frozen_string_literal: true

require "test_helper"
require "support/tls_running"

module Spate
  module Server
    # TLS::SelfSigned makes the certificate for localhost that is used without --cert, keeps it in a folder, and
    # replaces an unusable one.
    class TLSSelfSignedTest < Minitest::Test
      include TLSRunning

      def cache = File.join(folder, "cache/server/tls")
      def key = File.join(cache, "localhost.key")
      def made = Connection::TLS.load(folder: cache)
      def serial(settings = made) = OpenSSL::X509::Certificate.new(File.read(settings.certificate)).serial

      def test_content_of_the_certificate
        settings = made
        assert_predicate settings, :self_signed?
        assert_equal File.join(cache, "localhost.crt"), settings.certificate
        certificate = OpenSSL::X509::Certificate.new(File.read(settings.certificate))
        extensions = certificate.extensions.to_h { |extension| [extension.oid, extension.value] }
        assert_equal "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1", extensions["subjectAltName"]
        assert_equal "CA:FALSE", extensions["basicConstraints"]
        assert_operator settings.context.not_after, :>, Time.now.to_i + 300 * 86_400
        modes = [key, settings.certificate, cache].map { |path| File.stat(path).mode & 0o777 }
        assert_equal [0o600, 0o644, 0o700], modes
      end

      def test_certificate_is_made_once
        assert_equal serial, serial
        assert_empty Dir.children(cache) - %w[localhost.crt localhost.key localhost.lock]
      end

      # Processes that start at the same time share one certificate.
      def test_concurrent_processes_share_one_certificate
        cache
        children = Array.new(6) do
          reader, writer = IO.pipe
          pid = fork { writer.write(serial) and exit!(0) }
          writer.close
          [pid, reader]
        end
        told = children.map { |pid, reader| reader.read.tap { Process.wait(pid) } }
        assert_equal [serial.to_s], told.uniq
      end

      # A new certificate replaces one that is missing, expired or damaged, or whose key is a link, does not match or is
      # readable by others.
      def test_certificate_is_replaced
        { "open" => -> { File.chmod(0o640, key) },
          "link" => -> { File.rename(key, "#{key}.there") and File.symlink("#{key}.there", key) },
          "other" => -> { File.write(key, KINDS[:ec].call.private_to_pem) },
          "torn" => -> { File.write(key, "-----BEGIN") },
          "gone" => -> { File.delete(File.join(cache, "localhost.crt")) },
          "old" => -> { write_old } }.each do |name, change|
          before = serial
          change.call
          refute_equal before, serial, name
          assert_equal 0o600, File.lstat(key).mode & 0o777, name
          assert_predicate File.lstat(key), :file?, name
        end
      end

      def write_old
        cert, path = certificate("old", days: 0.5)
        File.write(File.join(cache, "localhost.crt"), File.read(cert))
        File.write(key, File.read(path))
        File.chmod(0o600, key)
      end

      # Without a writable folder, the certificate is made for this process only.
      def test_in_memory
        write("file", "")
        settings = Connection::TLS.load(folder: File.join(folder, "file/tls"))
        assert_nil settings.certificate
        before = settings.context.not_after
        assert_equal before, settings.reload.context.not_after
      end

      def test_folder_of_the_certificate
        assert_equal "/x/spate/server/tls", Connection::TLS::SelfSigned.folder("XDG_CACHE_HOME" => "/x")
        assert_equal "/y/server/tls", Connection::TLS::SelfSigned.folder("SPATE_HOME" => "/y")
        assert_nil Connection::TLS::SelfSigned.folder("SPATE_HOME" => "relative")
      end
    end
  end
end
