# frozen_string_literal: true

# What is preloaded into any program: no Ruby in it, and no library that it would bring along.
require "mkmf"

CORE = File.expand_path("../../../core", __dir__)
EAR = File.join(CORE, "ear")

$INCFLAGS << " -I#{CORE} -I#{EAR}"
$VPATH << EAR
$srcs = %w[hooks.c outcome.c table.c]
append_cflags(%w[-std=gnu11 -O2 -fvisibility=hidden -Wall -Wextra -fno-stack-protector -U_FORTIFY_SOURCE])
append_cflags("-mno-outline-atomics") # ARM's would ask libc for the processor's features before main
$LIBRUBYARG = $LIBRUBYARG_SHARED = $LIBRUBYARG_STATIC = $LIBS = $libs = ""
if RbConfig::CONFIG["host_os"].include?("linux")
  append_ldflags("-nostdlib")
  $LIBS = "-lgcc" # what the compiler itself calls: to forget cached instructions, on ARM
end

create_makefile("spate/native/ear_hooks")
