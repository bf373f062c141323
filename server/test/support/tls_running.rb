# frozen_string_literal: true

require "json"
require "openssl"
require "support/running"

module Spate
  module Server
    # Runs the server over TLS as a process, and makes certificates for it.
    module TLSRunning
      include Running

      SCRIPT = File.expand_path("programs/tls_server.rb", __dir__)
      KINDS = { rsa: -> { OpenSSL::PKey::RSA.new(2048) }, ec: -> { OpenSSL::PKey::EC.generate("prime256v1") },
                ed25519: -> { OpenSSL::PKey.generate_key("ED25519") } }.freeze

      def serve_tls(root = folder, limits: {}, **options)
        options = { folder: File.join(folder, "cache"), **options, limits: limits }
        reader, writer = IO.pipe
        @server = Process.spawn(RbConfig.ruby, SCRIPT, root, JSON.generate(options), err: writer)
        writer.close
        line = Timeout.timeout(SECONDS) { reader.gets }
        @log = reader
        @port = line.to_s[/:(\d+)$/, 1] or flunk("the server did not start: #{line}")
      end

      def authority = File.join(folder, "cache/localhost.crt")
      def secure(path = "/") = "https://localhost:#{@port}#{path}"
      def curl(*arguments) = client("curl", "-sS", "--max-time", "25", "--cacert", authority, *arguments)

      # Returns the paths of a certificate and its key, and both objects. kind: a key of KINDS. issuer: a certificate
      # and its key, required for Ed25519, because Ruby's openssl cannot self-sign with it.
      def certificate(name, kind: :ec, days: 1, issuer: nil, subject: "localhost")
        key = KINDS.fetch(kind).call
        made = OpenSSL::X509::Certificate.new
        made.version = 2
        made.serial = OpenSSL::BN.rand(127)
        made.subject = OpenSSL::X509::Name.new([["CN", subject]])
        made.issuer = issuer ? issuer.first.subject : made.subject
        made.not_before = Time.now - 86_400 * 2
        made.not_after = Time.now + 86_400 * days
        made.public_key = kind == :ed25519 ? OpenSSL::PKey.read(key.public_to_der) : key
        factory = OpenSSL::X509::ExtensionFactory.new(issuer&.first || made, made)
        authority = subject == "localhost" ? "FALSE" : "TRUE"
        made.add_extension(factory.create_extension("basicConstraints", "CA:#{authority}"))
        made.add_extension(factory.create_extension("subjectAltName", "DNS:localhost,IP:127.0.0.1"))
        made.sign(issuer&.last || key, OpenSSL::Digest.new("SHA256"))
        [write("#{name}.crt", made.to_pem), write("#{name}.key", key.private_to_pem), made, key]
      end

      # Connects with Ruby's openssl. The block configures its context.
      def connect(alpn: nil)
        context = OpenSSL::SSL::SSLContext.new
        context.alpn_protocols = alpn if alpn
        yield context if block_given?
        socket = OpenSSL::SSL::SSLSocket.new(TCPSocket.new("127.0.0.1", @port), context)
        socket.sync_close = true
        Timeout.timeout(SECONDS) { socket.connect }
      end

      def get(socket, path = "/hello.txt")
        socket.write("GET #{path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        Timeout.timeout(SECONDS) { socket.read }
      ensure
        socket.close
      end

      def descriptors = Dir.children("/proc/#{@server}/fd").size
      def kilobytes = File.read("/proc/#{@server}/status")[/VmRSS:\s+(\d+)/, 1].to_i

      # Waits until a block is true.
      def eventually(seconds = 5)
        limit = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
        sleep 0.01 until yield || Process.clock_gettime(Process::CLOCK_MONOTONIC) > limit
        assert yield, "still not so after #{seconds} s"
      end
    end
  end
end
