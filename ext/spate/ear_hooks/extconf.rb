# frozen_string_literal: true

# What is preloaded into any program: no Ruby in it, and no library that it would bring along.
require_relative "../../../core/shared/extension"

CoreExtension.compile(own: [], core: %w[ear/{hooks,outcome,part,table}])
append_cflags(%w[-O2 -fno-stack-protector -U_FORTIFY_SOURCE])
append_cflags("-mno-outline-atomics") # ARM's would ask libc for the processor's features before main
$LIBRUBYARG = $LIBRUBYARG_SHARED = $LIBRUBYARG_STATIC = $LIBS = $libs = ""
if RbConfig::CONFIG["host_os"].include?("linux")
  append_ldflags("-nostdlib")
  $LIBS = "-lgcc" # what the compiler itself calls: to forget cached instructions, on ARM
end

create_makefile("spate/native/ear_hooks")
