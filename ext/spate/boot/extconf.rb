# frozen_string_literal: true

require "mkmf"

# What a boot needs of the core, and no library beside libc: see docs/image-format.md. A binding never has the name of
# a core file, because both are compiled in one folder.
CORE = File.expand_path("../../../core", __dir__)
INDEX = if File.exist?(File.join(__dir__, "index_binding.c"))
          Dir[File.join(CORE, "index*.c")].map { |path| File.basename(path) }
        else
          []
        end
IMAGE = Dir[File.join(CORE, "image*.c")].map { |path| File.basename(path) }
INPUTS = Dir[File.join(CORE, "inputs*.c")].map { |path| File.basename(path) } +
         %w[elf_file.c elf_promise.c pool.c processor.c sha256.c]
PARTS = %w[apart.c crc32c.c descriptor.c freshness.c realpaths.c siphash.c source.c status.c trust.c]
        .concat(IMAGE, INDEX, INPUTS).freeze

$defs << "-DSPATE_HAVE_INDEX" unless INDEX.empty?
$INCFLAGS << " -I#{CORE}"
$VPATH << CORE
$srcs = (Dir[File.join(__dir__, "*.c")].map { |path| File.basename(path) } + PARTS).sort
append_cflags(%w[-std=gnu11 -O2 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
                 -Werror=implicit-function-declaration])
append_ldflags("-Wl,--as-needed")
have_library("pthread")
have_library("dl", "dlsym", "dlfcn.h")

create_makefile("spate/native/boot")
