# frozen_string_literal: true

require "mkmf"

append_cflags(%w[-std=gnu11 -O3 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
                 -Werror=implicit-function-declaration])
abort "error: sys/mman.h is missing" unless have_header("sys/mman.h")

create_makefile("spate/server/native/counters")
