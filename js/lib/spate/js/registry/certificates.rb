# frozen_string_literal: true

module Spate
  module JS
    module Registry
      # TLS settings of connections to a registry: the trusted authorities (`ca`, `cafile`, or else the system's, with
      # NODE_EXTRA_CA_CERTS), whether the registry must present a valid certificate (`strict-ssl`), and the client
      # certificate to send.
      class Certificates
        PEM = /-----BEGIN [^-]+-----.+?-----END [^-]+-----/m
        private_constant :PEM

        def initialize(configuration)
          @configuration = configuration
          @mutex = Mutex.new
        end

        # Configures a Net::HTTP. identity: Configuration::NerfDart::Found, or nil.
        def apply(http, identity = nil)
          require "openssl"
          http.use_ssl = true
          http.verify_mode = verify? ? OpenSSL::SSL::VERIFY_PEER : OpenSSL::SSL::VERIFY_NONE
          http.cert_store = @mutex.synchronize { @store ||= store }
          http.cert, http.key = pair(identity) if identity
        end

        # Whether the server must present a valid certificate.
        def verify? = @configuration["strict-ssl"] != false

        private

        def store
          store = OpenSSL::X509::Store.new
          own = authorities
          own.empty? ? store.set_default_paths : add(store, own)
          add(store, pems(read(@configuration.env["NODE_EXTRA_CA_CERTS"]))) if own.empty?
          store
        rescue OpenSSL::OpenSSLError => e
          found = @configuration["cafile"] || "the given text"
          raise Settings::InvalidValue.new("ca", found, "certificates as PEM (#{e.message})")
        end

        def authorities = pems([*@configuration["ca"]].join("\n")) + pems(read(@configuration["cafile"]))
        def pems(text) = text.to_s.gsub('\n', "\n").scan(PEM)

        # Ignores a missing file, like npm.
        def read(path)
          File.read(path, encoding: "UTF-8").scrub if path.is_a?(String) && File.file?(path)
        rescue SystemCallError
          nil
        end

        def add(store, pems)
          pems.uniq.each { |pem| store.add_cert(OpenSSL::X509::Certificate.new(pem)) }
        end

        def pair(identity)
          certificate, key = texts(identity).map { |pem| pem.gsub('\n', "\n") }
          [OpenSSL::X509::Certificate.new(certificate), OpenSSL::PKey.read(key)]
        rescue OpenSSL::OpenSSLError, SystemCallError => e
          raise Settings::InvalidValue.new("#{identity.place}:certfile", identity.certfile || "the given text",
                                           "a certificate and its key as PEM (#{ErrorSummary.of(e)})")
        end

        def texts(identity)
          files = [identity.certfile, identity.keyfile]
          return [identity.cert, identity.key] unless files.all?

          files.map { |path| File.read(File.expand_path(path, @configuration.root)) }
        end
      end
    end
  end
end
