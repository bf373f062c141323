# frozen_string_literal: true

module Spate
  module Registry
    # Whom a TLS connection trusts and what it shows of itself: Bundler's settings, then RubyGems' configuration.
    # Without either the system's authorities (SSL_CERT_FILE and SSL_CERT_DIR among them) and those that RubyGems
    # brings.
    class Certificates
      def initialize(settings:, gemrc:)
        @settings = settings
        @gemrc = gemrc
        @mutex = Mutex.new
      end

      # Prepares a Net::HTTP. Raises Settings::InvalidValue where a file cannot be used.
      def apply(http)
        require "openssl"
        http.use_ssl = true
        http.verify_mode = setting(:ssl_verify_mode)&.to_i || OpenSSL::SSL::VERIFY_PEER
        http.cert_store = store
        client = setting(:ssl_client_cert) or return
        http.cert, http.key = client_pair(client)
      end

      private

      def setting(name) = @settings[name] || @gemrc[name.to_s]

      # One store for all connections: reading the authorities' certificates takes longer than a handshake.
      def store
        @mutex.synchronize { @store ||= build_store }
      end

      def build_store
        store = OpenSSL::X509::Store.new
        authority = setting(:ssl_ca_cert)
        return authorities_of_system(store) unless authority

        File.directory?(authority) ? store.add_path(authority) : store.add_file(authority)
        store
      rescue OpenSSL::X509::StoreError, SystemCallError => e
        raise Settings::InvalidValue.new("ssl_ca_cert", authority, "a PEM file or a folder of them (#{e.message})")
      end

      def authorities_of_system(store)
        store.set_default_paths
        folders = $LOAD_PATH.map { |path| File.join(path, "rubygems", "ssl_certs") }
        folder = folders.find { |path| File.directory?(path) }
        Dir.glob(File.join(folder, "*", "*.pem")).each { |path| store.add_file(path) } if folder
        store
      end

      def client_pair(path)
        @mutex.synchronize do
          @client_pair ||= begin
            pem = File.read(path)
            [OpenSSL::X509::Certificate.new(pem), OpenSSL::PKey.read(pem)]
          end
        end
      rescue OpenSSL::OpenSSLError, SystemCallError => e
        raise Settings::InvalidValue.new("ssl_client_cert", path, "a PEM file with certificate and key (#{e.message})")
      end
    end
  end
end
