# frozen_string_literal: true

# TLS on libssl. Without it (OpenSSL 1.1.1 or later, Debian's libssl-dev) a library comes out all the same, which only
# says so: the server speaks clear text then.
require "mkmf"

found = pkg_config("libssl") && pkg_config("libcrypto") && have_header("openssl/ssl.h") &&
        have_func("SSL_CTX_set_ciphersuites", "openssl/ssl.h")

# What kTLS takes of libssl's own BIO of sockets; deprecated since OpenSSL 3.5.
have_func("BIO_meth_get_ctrl", "openssl/bio.h") if found

# spate/bytes.h: from the checkout that this folder lies in, else from the gem spate-bytes.
checkout = File.expand_path("../../../bytes/ext/bytes/include", __dir__)
unless File.exist?(File.join(checkout, "spate/bytes.h"))
  require "spate/bytes"
  checkout = Spate::BYTES_INCLUDE
end

unless found
  message("libssl was not found (OpenSSL 1.1.1 or later, by pkg-config): spate-server is built without TLS.\n" \
          "Debian, Ubuntu: apt-get install libssl-dev pkg-config, and install spate-server again.\n")
end
# write_buffer.h is in ext/io.
$INCFLAGS << " -I#{checkout} -I#{File.expand_path("../io", __dir__)}"
$srcs = found ? %w[bio.c connection.c context.c records.c tls.c] : %w[missing.c]
append_cflags(%w[-std=gnu11 -O3 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
                 -Werror=implicit-function-declaration])

create_makefile("spate/server/native/tls")
