# Fuzzes inflate and deflate: `make -f bytes/fuzz/zlib_fuzzer.mk run FUZZ_SECONDS=30`.
# New inputs are stored in tmp/fuzz/zlib, failing ones in tmp/fuzz/zlib-*. LIBDEFLATE=0: without libdeflate.
CLANG ?= clang
PKG_CONFIG ?= pkg-config
FUZZ_SECONDS ?= 30

root := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/../..)
out := $(root)/tmp/fuzz
LIBDEFLATE ?= $(shell $(PKG_CONFIG) --exists libdeflate && echo 1 || echo 0)
packages := zlib $(if $(filter 1,$(LIBDEFLATE)),libdeflate)
defines := $(if $(filter 1,$(LIBDEFLATE)),-DSPATE_HAVE_LIBDEFLATE) -DHAVE_INFLATEVALIDATE
ext := $(root)/bytes/ext/zlib
sources := $(root)/bytes/fuzz/zlib_fuzzer.c $(ext)/stream/step.c $(ext)/oneshot/bytes.c \
           $(ext)/oneshot/compressor.c $(wildcard $(root)/core/shared/*.c)

.PHONY: build run
build: $(out)/zlib_fuzzer

$(out)/zlib_fuzzer: $(sources) $(wildcard $(ext)/*.h $(ext)/*/*.h $(root)/core/shared/*.h)
	mkdir -p $(out)
	$(CLANG) -std=c11 -D_DEFAULT_SOURCE -pthread -g -O1 -Wall -Wextra -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -I$(ext) -I$(root)/core $(defines) \
		$$($(PKG_CONFIG) --cflags $(packages)) -o $@ $(sources) $$($(PKG_CONFIG) --libs $(packages))

run: build
	mkdir -p $(out)/zlib
	$(out)/zlib_fuzzer -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=1024 -max_len=16384 \
		-artifact_prefix=$(out)/zlib- -print_final_stats=1 $(out)/zlib $(root)/bytes/fuzz/corpus/zlib
