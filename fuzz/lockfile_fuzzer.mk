# Runs the fuzzer of the lockfile parser: `make -f fuzz/lockfile_fuzzer.mk run FUZZ_SECONDS=30` from any directory. New
# inputs are written to tmp/fuzz/lockfile, failing ones to tmp/fuzz/lockfile-*.
CLANG ?= clang
RUBY ?= ruby
FUZZ_SECONDS ?= 30

root := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)
ruby_pc := $(shell $(RUBY) -e 'print RbConfig::CONFIG["ruby_pc"].delete_suffix(".pc")')
ruby_pc_dir := $(shell $(RUBY) -e 'print RbConfig::CONFIG["libdir"]')/pkgconfig
pkg_config := PKG_CONFIG_PATH=$(ruby_pc_dir):$$PKG_CONFIG_PATH pkg-config
out := $(root)/tmp/fuzz

.PHONY: build run
build: $(out)/lockfile_fuzzer

$(out)/lockfile_fuzzer: $(root)/fuzz/lockfile_fuzzer.c
	mkdir -p $(out)
	$(CLANG) -std=c11 -g -O1 -Wall -Wextra -Wno-unused-parameter -fsanitize=fuzzer -o $@ $< \
		$$($(pkg_config) --cflags --libs $(ruby_pc))

run: build
	mkdir -p $(out)/lockfile
	SPATE_LIB=$(root)/lib $(out)/lockfile_fuzzer -max_total_time=$(FUZZ_SECONDS) -timeout=5 -rss_limit_mb=512 \
		-max_len=8192 -dict=$(root)/fuzz/lockfile.dict -artifact_prefix=$(out)/lockfile- -print_final_stats=1 \
		$(out)/lockfile $(root)/fuzz/corpus/lockfile
