# frozen_string_literal: true

require "fileutils"
require "openssl"

# Creates the files, the Rack applications and the certificate for the rows.
class Fixtures
  HELLO = <<~RUBY
    # frozen_string_literal: true

    run ->(_env) { [200, { "content-type" => "text/plain" }, ["hello\\n"]] }
  RUBY

  FILES = <<~RUBY
    # frozen_string_literal: true

    require "rack/files"
    run Rack::Files.new(File.join(__dir__, "files"))
  RUBY

  # Responds with the number of received bytes.
  UPLOAD = <<~RUBY
    # frozen_string_literal: true

    run(lambda do |env|
      size = 0
      part = +""
      size += part.bytesize while env["rack.input"].read(65_536, part)
      [200, { "content-type" => "text/plain" }, [size.to_s]]
    end)
  RUBY

  def initialize(folder, scale:)
    @folder = folder
    @scale = scale
  end

  def make
    FileUtils.mkdir_p([File.join(@folder, "files"), File.join(@folder, "tls")])
    { "hello.ru" => HELLO, "files.ru" => FILES, "upload.ru" => UPLOAD, "files/small.txt" => "hello\n" * 100 }
      .each { |name, text| File.write(File.join(@folder, name), text) }
    big
    # A sparse file: the client reads zeros without disk access.
    File.open(File.join(@folder, "upload.bin"), "wb") { |file| file.truncate(megabytes(Upload::MEGABYTES) << 20) }
    certificate
    sleep 2.5 # servers do not cache files that changed just now
  end

  private

  def megabytes(count) = [(count * @scale).round, 1].max

  def big
    block = Random.new(1).bytes(1 << 20)
    path = File.join(@folder, "files", "big.bin")
    File.open(path, "wb") { |file| megabytes(BigFile::MEGABYTES).times { file.write(block) } }
  end

  # Writes a certificate for localhost with a P-256 key, like the server's self-signed certificates.
  def certificate
    key = OpenSSL::PKey::EC.generate("prime256v1")
    made = OpenSSL::X509::Certificate.new
    made.version = 2
    made.serial = 1
    made.subject = made.issuer = OpenSSL::X509::Name.parse("/CN=localhost")
    made.public_key = key
    made.not_before = Time.now - 3600
    made.not_after = Time.now + 86_400
    extensions = OpenSSL::X509::ExtensionFactory.new(made, made)
    made.add_extension(extensions.create_extension("subjectAltName", "DNS:localhost,IP:127.0.0.1"))
    made.sign(key, "SHA256")
    File.write(File.join(@folder, "tls", "cert.pem"), made.to_pem)
    File.write(File.join(@folder, "tls", "key.pem"), key.to_pem)
  end
end
