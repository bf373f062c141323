# frozen_string_literal: true

# TLS with libssl from OpenSSL 1.1.1 or later (Debian: libssl-dev). Without libssl an empty library is built, and the
# server supports clear text only.
require "mkmf"

found = pkg_config("libssl") && pkg_config("libcrypto") && have_header("openssl/ssl.h") &&
        have_func("SSL_CTX_set_ciphersuites", "openssl/ssl.h")

# With kTLS, functions of libssl's socket BIO are called through this function, which is deprecated since OpenSSL 3.5.
have_func("BIO_meth_get_ctrl", "openssl/bio.h") if found

# spate/bytes.h comes from the surrounding checkout, or from the spate-bytes gem.
checkout = File.expand_path("../../../bytes/ext/bytes/include", __dir__)
unless File.exist?(File.join(checkout, "spate/bytes.h"))
  require "spate/bytes"
  checkout = Spate::BYTES_INCLUDE
end

unless found
  message("pkg-config found no libssl of OpenSSL 1.1.1 or later: building spate-server without TLS.\n" \
          "hint: on Debian and Ubuntu, apt-get install libssl-dev pkg-config, then gem pristine spate-server\n")
end
# write_buffer.h is in ext/io.
$INCFLAGS << " -I#{checkout} -I#{File.expand_path("../io", __dir__)}"
$srcs = found ? %w[bio.c connection.c context.c records.c tls.c] : %w[missing.c]
append_cflags(%w[-std=gnu11 -O3 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
                 -Werror=implicit-function-declaration])

create_makefile("spate/server/native/tls")
