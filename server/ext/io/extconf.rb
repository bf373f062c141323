# frozen_string_literal: true

require "mkmf"

# spate/bytes.h comes from the surrounding checkout, or from the spate-bytes gem.
checkout = File.expand_path("../../../bytes/ext/bytes/include", __dir__)
unless File.exist?(File.join(checkout, "spate/bytes.h"))
  require "spate/bytes"
  checkout = Spate::BYTES_INCLUDE
end

$INCFLAGS << " -I#{checkout}"
append_cflags(%w[-std=gnu11 -O3 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
                 -Werror=implicit-function-declaration])
have_header("sys/epoll.h")
have_func("preadv", "sys/uio.h")

create_makefile("spate/server/native/io")
