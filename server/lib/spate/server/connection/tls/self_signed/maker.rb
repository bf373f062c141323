# frozen_string_literal: true

require "openssl"

module Spate
  module Server
    class Connection
      class TLS < Transport
        class SelfSigned
          # Creates certificates with Ruby's openssl, which is not used for connections.
          class Maker
            DAYS = 365
            ADDRESSES = %w[127.0.0.1 ::1].freeze

            def initialize(name)
              @name = name
            end

            # Returns a certificate and its key as PEM. Raises Error when Ruby was built without openssl.
            def make
              key = OpenSSL::PKey::EC.generate("prime256v1")
              [certificate(key).to_pem, key.to_pem]
            end

            private

            # RFC 5280. The certificate is only valid for servers, so a stolen key cannot sign other certificates.
            def certificate(key)
              subject = OpenSSL::X509::Name.new([["CN", @name]])
              OpenSSL::X509::Certificate.new.tap do |made|
                made.version = 2
                made.serial = OpenSSL::BN.rand(127)
                made.subject = made.issuer = subject
                made.not_before = Time.now - 3600
                made.not_after = Time.now + DAYS * 86_400
                made.public_key = key
                extend(made)
                made.sign(key, OpenSSL::Digest.new("SHA256"))
              end
            end

            def extend(made)
              factory = OpenSSL::X509::ExtensionFactory.new(made, made)
              names = ["DNS:#{@name}", *ADDRESSES.map { |address| "IP:#{address}" }].join(",")
              [["basicConstraints", "CA:FALSE", true], ["keyUsage", "digitalSignature", true],
               ["extendedKeyUsage", "serverAuth", false], ["subjectAltName", names, false],
               ["subjectKeyIdentifier", "hash", false]].each do |name, value, critical|
                made.add_extension(factory.create_extension(name, value, critical))
              end
            end
          end
        end
      end
    end
  end
end
