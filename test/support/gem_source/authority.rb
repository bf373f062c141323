# frozen_string_literal: true

require "openssl"

module GemSource
  # A private certificate authority. It signs the certificates of the source and of clients.
  class Authority
    HOSTS = "DNS:localhost,IP:127.0.0.1,DNS:gems.test,DNS:*.gems.test"
    DAY = 86_400

    # folder: for #ca_file, #ca_folder and #client_file.
    def initialize(folder)
      @folder = folder
      @key = OpenSSL::PKey::EC.generate("prime256v1")
      @serial = 0
      @certificate = sign("/CN=Test authority", @key, authority: true)
    end

    # PEM with the authority's certificate.
    def ca_file = @ca_file ||= write("ca.pem", @certificate.to_pem)

    # A folder with the certificate, in the format of `c_rehash`.
    def ca_folder
      @ca_folder ||= begin
        folder = File.join(@folder, "certs")
        FileUtils.mkdir_p(folder)
        File.write(File.join(folder, format("%08x.0", @certificate.subject.hash)), @certificate.to_pem)
        folder
      end
    end

    # PEM with a client's certificate and its key. The key is RSA, because Bundler reads no other kind.
    def client_file
      @client_file ||= begin
        key = OpenSSL::PKey::RSA.new(2048)
        write("client.pem", "#{sign("/CN=A client", key).to_pem}#{key.to_pem}")
      end
    end

    def server_context(client_certificate: false)
      key = OpenSSL::PKey::EC.generate("prime256v1")
      OpenSSL::SSL::SSLContext.new.tap do |context|
        context.add_certificate(sign("/CN=localhost", key, hosts: HOSTS), key, [@certificate])
        next unless client_certificate

        context.cert_store = OpenSSL::X509::Store.new.tap { |store| store.add_cert(@certificate) }
        context.verify_mode = OpenSSL::SSL::VERIFY_PEER | OpenSSL::SSL::VERIFY_FAIL_IF_NO_PEER_CERT
        context.session_id_context = "gems"
      end
    end

    private

    def sign(subject, key, hosts: nil, authority: false)
      certificate = OpenSSL::X509::Certificate.new
      certificate.version = 2
      certificate.serial = (@serial += 1)
      certificate.subject = OpenSSL::X509::Name.parse(subject)
      certificate.issuer = authority ? certificate.subject : @certificate.subject
      certificate.public_key = key
      certificate.not_before = Time.now - DAY
      certificate.not_after = Time.now + (30 * DAY)
      extensions(certificate, hosts, authority).each { |extension| certificate.add_extension(extension) }
      certificate.sign(@key, OpenSSL::Digest.new("SHA256"))
    end

    def extensions(certificate, hosts, authority)
      factory = OpenSSL::X509::ExtensionFactory.new(authority ? certificate : @certificate, certificate)
      list = [factory.create_extension("basicConstraints", authority ? "CA:TRUE" : "CA:FALSE", true)]
      list << factory.create_extension("subjectKeyIdentifier", "hash")
      list << factory.create_extension("keyUsage", authority ? "keyCertSign,cRLSign" : "digitalSignature", true)
      list << factory.create_extension("subjectAltName", hosts) if hosts
      list
    end

    def write(name, content)
      File.join(@folder, name).tap { |path| File.write(path, content) }
    end
  end
end
