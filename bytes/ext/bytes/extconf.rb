# frozen_string_literal: true

require_relative "../../../core/shared/extension"

CoreExtension.compile(own: %w[**/*.c], core: [])
$INCFLAGS << " -I#{File.expand_path("include", __dir__)}"
append_cflags("-O3")
have_header("ruby/memory_view.h")
have_func("rb_io_descriptor", "ruby/io.h")
have_var("rb_eIOTimeoutError", ["ruby.h", "ruby/io.h"])

create_makefile("spate/native/bytes")
