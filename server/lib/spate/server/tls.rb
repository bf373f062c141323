# frozen_string_literal: true

module Spate
  module Server
    # What connections over TLS begin with: a certificate and its key, out of files or made for this machine.
    # How bytes go is in Transport::TLS and ext/tls.
    module TLS
      autoload :Error, "spate/server/tls/error"
      autoload :Pair, "spate/server/tls/pair"
      autoload :PEM, "spate/server/tls/pem"
      autoload :SelfSigned, "spate/server/tls/self_signed"
      autoload :Settings, "spate/server/tls/settings"

      # cert: path of a PEM file with the server's certificate and then those between it and its root; nil for one that
      # is made for localhost and kept in `folder` (nil: the user's cache folder). key: path of its key, RSA, EC or
      # Ed25519; nil where it is in the same file. ktls: let the kernel encrypt where it can.
      # TLS::Error where something of it cannot be used, or libssl was missing when this gem was built.
      def self.load(cert: nil, key: nil, folder: nil, ktls: true)
        check_native
        if key && cert.nil?
          raise Error.new("#{key} is a key without a certificate", hint: "name the certificate too: --cert FILE")
        end

        pair = cert ? Pair.new(cert, key || cert) : SelfSigned.new(folder || SelfSigned.folder)
        Settings.new(pair, ktls: ktls)
      end

      def self.check_native
        return if defined?(Native::TLSContext)

        require "spate/server/native/tls"
        raise LoadError, "libssl was missing when spate-server was built" unless defined?(Native::TLSContext)
      rescue LoadError => e
        raise Error.new("TLS is not there: #{e.message.lines.first.chomp}",
                        hint: "install OpenSSL's headers (Debian: libssl-dev and pkg-config), then spate-server again")
      end
      private_class_method :check_native
    end
  end
end
