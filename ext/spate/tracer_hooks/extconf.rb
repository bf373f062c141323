# frozen_string_literal: true

# The library is preloaded into any program, so it uses neither Ruby nor any other library.
require_relative "../../../core/shared/extension"

CoreExtension.compile(own: [], core: %w[tracer/{hooks,outcome,part,table}])
append_cflags(%w[-O2 -fno-stack-protector -U_FORTIFY_SOURCE])
append_cflags("-mno-outline-atomics") # otherwise ARM code asks libc for the processor's features before main
$LIBRUBYARG = $LIBRUBYARG_SHARED = $LIBRUBYARG_STATIC = $LIBS = $libs = ""
if RbConfig::CONFIG["host_os"].include?("linux")
  append_ldflags("-nostdlib")
  $LIBS = "-lgcc" # for calls that the compiler inserts, such as clearing the instruction cache on ARM
end

create_makefile("spate/native/tracer_hooks")
