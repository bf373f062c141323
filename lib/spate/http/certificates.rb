# frozen_string_literal: true

module Spate
  module HTTP
    # The certificate authorities and the client certificate of TLS connections, from Bundler's settings or RubyGems'
    # configuration. By default, trusts the system's authorities (or SSL_CERT_FILE and SSL_CERT_DIR) and those included
    # in RubyGems.
    class Certificates
      # Names of certificates and revocation lists: a hash of the subject. OpenSSL reads only such files in a folder.
      IN_FOLDER = /\A\h{8}\.r?\d+\z/

      def initialize(settings:, gemrc:, env: ENV)
        @settings = settings
        @gemrc = gemrc
        @env = env
        @mutex = Mutex.new
      end

      # All facts that affect trust or identity of connections ([String or nil]). Does not load openssl.
      def facts
        @facts ||= begin
          authority = setting(:ssl_ca_cert)
          trusted = authority ? [authority, nil] : @env.values_at("SSL_CERT_FILE", "SSL_CERT_DIR")
          [verify_mode.to_s, *[*trusted, setting(:ssl_client_cert)].map { |path| content(path) }]
        end
      end

      # Whether the server's certificate is verified.
      def verify? = verify_mode & 1 == 1

      # Configures a Net::HTTP. Raises Settings::InvalidValue if a file cannot be used.
      def apply(http, _identity = nil)
        require "openssl"
        http.use_ssl = true
        http.verify_mode = verify_mode
        http.cert_store = store
        client = setting(:ssl_client_cert) or return
        http.cert, http.key = client_pair(client)
      end

      private

      def setting(name)
        value = @settings[name] || @gemrc[name.to_s]
        raise Settings::InvalidValue.new(name, value, "one text") if value.is_a?(Enumerable)

        value
      end

      # 1 is OpenSSL::SSL::VERIFY_PEER.
      def verify_mode = setting(:ssl_verify_mode)&.to_i || 1

      # Returns a digest of a file, or of the files that OpenSSL reads in folders ("a:b"), or nil without a path.
      def content(path)
        return unless path

        Store.sha256(path.split(":").flat_map { |part| files(part) }.join("\n"))
      end

      def files(path)
        return [digest(path)] unless File.directory?(path)

        Dir.children(path).grep(IN_FOLDER).sort.map { |name| "#{name} #{digest("#{path}/#{name}")}" }
      rescue SystemCallError
        ["-"]
      end

      def digest(path)
        File.file?(path) ? Store.sha256(File.binread(path)) : "-"
      rescue SystemCallError
        "-"
      end

      # One certificate store for all connections, because reading the authorities' certificates takes longer than a
      # handshake.
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
        expected = "a PEM file or a folder of them (#{ErrorSummary.of(e)})"
        raise Settings::InvalidValue.new("ssl_ca_cert", authority, expected)
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
        expected = "a PEM file with certificate and key (#{ErrorSummary.of(e)})"
        raise Settings::InvalidValue.new("ssl_client_cert", path, expected)
      end
    end
  end
end
