# frozen_string_literal: true

require "mkmf"

append_cflags(%w[-std=gnu11 -O2 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
                 -Werror=implicit-function-declaration])
abort "setitimer is missing" unless have_func("setitimer", "sys/time.h")
abort "libruby does not export ruby_thread_has_gvl_p" unless have_func("ruby_thread_has_gvl_p")

create_makefile("spate/server/native/profile")
