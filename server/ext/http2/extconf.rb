# frozen_string_literal: true

require "mkmf"

# The core is plain C without Ruby, in ../../core.
CORE = File.expand_path("../../core", __dir__)

# spate/bytes.h comes from the surrounding checkout, or from the spate-bytes gem.
checkout = File.expand_path("../../../bytes/ext/bytes/include", __dir__)
unless File.exist?(File.join(checkout, "spate/bytes.h"))
  require "spate/bytes"
  checkout = Spate::BYTES_INCLUDE
end

# write_buffer.h is in ext/io.
$INCFLAGS << " -I#{CORE} -I#{checkout} -I#{File.expand_path("../io", __dir__)}"
$VPATH << CORE
$srcs = Dir[File.join(__dir__, "*.c"), File.join(CORE, "*.c")].map { |path| File.basename(path) }.sort
append_cflags(%w[-std=gnu11 -O3 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
                 -Werror=implicit-function-declaration])

create_makefile("spate/server/native/http2")
