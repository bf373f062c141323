# frozen_string_literal: true

require_relative "../../../core/shared/extension"

# Compiles the parts of the core that a boot needs. They use no library except libc: see docs/compile-cache-format.md.
CoreExtension.compile(own: %w[**/*.c],
                      core: %w[shared/{buffer,status} base/{descriptor,file,freshness,pool,trust}
                               digest/{crc32c,hex,sha256,siphash} elf/* compile_cache/* load_path_cache/**/* inputs/**/*
                               machine/{apart,boot_id,mount,processor} warm/* front/text front/warm/{kind,state}
                               front/exec/environment_block])
append_cflags("-O2")
have_library("pthread")
have_library("dl", "dlsym", "dlfcn.h")

create_makefile("spate/native/boot")
