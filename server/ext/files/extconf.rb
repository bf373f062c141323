# frozen_string_literal: true

require "mkmf"

append_cflags(%w[-std=gnu11 -O2 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
                 -Werror=implicit-function-declaration])
have_header("linux/openat2.h")

create_makefile("spate/server/native/files")
