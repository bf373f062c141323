# frozen_string_literal: true

require_relative "../../../core/shared/extension"

CoreExtension.require_library("zlib") { have_header("zlib.h") && have_library("z", "inflate") }
CoreExtension.use_libdeflate
CoreExtension.compile(own: %w[**/*.c], core: %w[shared/*])
append_cflags("-O3")
have_library("pthread")
have_func("inflateValidate", "zlib.h")

create_makefile("spate/native/zlib")
