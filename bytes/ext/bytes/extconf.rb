# frozen_string_literal: true

require "mkmf"

$INCFLAGS << " -I#{File.expand_path("include", __dir__)}"
append_cflags(%w[-std=gnu11 -O3 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
                 -Werror=implicit-function-declaration])
have_header("ruby/memory_view.h")
have_func("rb_io_descriptor", "ruby/io.h")
have_var("rb_eIOTimeoutError", ["ruby.h", "ruby/io.h"])

create_makefile("spate/native/bytes")
