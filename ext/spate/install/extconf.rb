# frozen_string_literal: true

require_relative "../../../core/shared/extension"

CoreExtension.require_library("zlib")
CoreExtension.require_library("libcrypto")
CoreExtension.use_libdeflate
CoreExtension.compile(own: %w[**/*.c],
                      core: %w[shared/* base/{descriptor,file,folders,pool,trust} digest/{digest,hex,libcrypto}
                               digest/sha256 machine/boot_id archive/* link/* manifest/* metadata/* store/* unpack/*])
have_library("pthread")
# libcrypto is loaded on first use: see core/digest/libcrypto.h.
$defs << "-DSPATE_LIBCRYPTO_LATER" if RUBY_PLATFORM.include?("linux")

create_makefile("spate/native/install")
