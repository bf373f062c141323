# frozen_string_literal: true

require "mkmf"

# The core is plain C and lies beside ext/, in the checkout as in the gem. A binding never has the name of a core file.
CORE = File.expand_path("../../../core", __dir__)
EAR = File.join(CORE, "ear")
PARTS = %w[calls.c guard.c listen.c notice.c outcome.c program.c record.c table.c status.c].freeze

$INCFLAGS << " -I#{CORE} -I#{EAR}"
$VPATH << CORE << EAR
$srcs = (Dir[File.join(__dir__, "*.c")].map { |path| File.basename(path) } + PARTS).sort
append_cflags(%w[-std=gnu11 -O2 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
                 -Werror=implicit-function-declaration])
append_ldflags("-Wl,--as-needed")
have_library("pthread")

create_makefile("spate/native/ear")
