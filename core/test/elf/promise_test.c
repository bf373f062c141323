#include "test/scratch.h"

#include "elf/promise.h"

#include <fcntl.h>

/* Compiles the C code to a shared library and returns its path. */
static const char *library(const char *name, const char *code, const char *versions, const char *options) {
    char command[4 * PATH_MAX];
    const char *folder = fresh("library");
    const char *source = in_scratch("source.c"), *script = in_scratch("script.map");
    const char *path = lasting(folder);
    write_text(source, code, 0644);
    write_text(script, versions ? versions : "", 0644);
    snprintf(command, sizeof(command), "cc -shared -fPIC %s%s %s%s %s -o '%s' '%s'", name ? "-Wl,-soname," : "",
             name ? name : "", versions ? "-Wl,--version-script=" : "", versions ? script : "", options, path, source);
    CHECK(system(command) == 0);
    return path;
}

static spate_status promise(const char *path, uint8_t out[SPATE_SHA256_LENGTH]) {
    struct stat info;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(descriptor >= 0 && fstat(descriptor, &info) == 0);
    spate_elf_source source = {.descriptor = descriptor, .length = (uint64_t)info.st_size};
    spate_status status = spate_elf_promise(&source, out);
    close(descriptor);
    return status;
}

static bool same_promise(const char *one, const char *two) {
    uint8_t first[SPATE_SHA256_LENGTH], second[SPATE_SHA256_LENGTH];
    CHECK_OK(promise(one, first));
    CHECK_OK(promise(two, second));
    return memcmp(first, second, sizeof(first)) == 0;
}

#define BOTH "LIB_1 { global: one; local: *; }; LIB_2 { global: two; } LIB_1;"
#define FUNCTIONS "int one(void) { return 1; } int two(void) { return 2; }"

TEST(promise_consists_of_versions_if_there_are_any) {
    const char *first = library("libx.so.1", FUNCTIONS, BOTH, "");
    CHECK(same_promise(first,
                       library("libx.so.1", "int one(void) { return 7; } int two(void) { return 8; }", BOTH, "-O2")));
    CHECK(same_promise(first, library("libx.so.1", FUNCTIONS, BOTH, "-g -Wl,--hash-style=sysv")));
    CHECK(same_promise(first, library("libx.so.1", FUNCTIONS " int three;",
                                      "LIB_1 { global: one; three; local: *; }; LIB_2 { global: two; } LIB_1;", "")));
    CHECK(same_promise(library("libx.so.1", FUNCTIONS, "A { global: one; local: *; }; B { global: two; };", ""),
                       library("libx.so.1", FUNCTIONS, "B { global: two; local: *; }; A { global: one; };", "")));
    CHECK(!same_promise(first, library("libx.so.2", FUNCTIONS, BOTH, "")));
    CHECK(!same_promise(first, library("libx.so.1", FUNCTIONS, "LIB_1 { global: one; two; local: *; };", "")));
    CHECK(!same_promise(first, library("libx.so.1", FUNCTIONS, NULL, "")));
}

TEST(promise_consists_of_symbols_without_versions) {
    static const char *const styles[] = {"-Wl,--hash-style=gnu", "-Wl,--hash-style=sysv"};
    for (int i = 0; i < 2; i++) {
        const char *first = library("libx.so.1", FUNCTIONS, NULL, styles[i]);
        CHECK(same_promise(first, library("libx.so.1", "int two(void) { return 3; } int one(void) { return 4; }", NULL,
                                          styles[1 - i])));
        CHECK(same_promise(first,
                           library("libx.so.1", FUNCTIONS " static int mine(void) { return 1; }", NULL, styles[i])));
        CHECK(same_promise(
            first, library("libx.so.1", "int its(void); int one(void) { return its(); } int two;", NULL, styles[i])));
        CHECK(!same_promise(first, library("libx.so.1", FUNCTIONS " int three(void) { return 3; }", NULL, styles[i])));
        CHECK(!same_promise(first, library("libx.so.1", "int one(void) { return 1; }", NULL, styles[i])));
    }
}

TEST(bytes_in_memory_are_as_a_file) {
    const char *path = library("libx.so.1", FUNCTIONS, BOTH, "");
    uint8_t first[SPATE_SHA256_LENGTH], second[SPATE_SHA256_LENGTH];
    spate_buffer file = {0};
    CHECK_OK(promise(path, first));
    CHECK_OK(spate_read_file(path, 1 << 20, &file, NULL, NULL));
    spate_elf_source source = {.bytes = file.bytes, .length = file.length};
    CHECK_OK(spate_elf_promise(&source, second));
    CHECK_BYTES(first, second, sizeof(first));
    spate_buffer_free(&file);
}

TEST(libraries_of_this_machine_have_a_promise) {
    uint8_t out[SPATE_SHA256_LENGTH];
    static const char *const paths[] = {"/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libz.so.1"};
    for (int i = 0; i < 2; i++)
        if (access(paths[i], R_OK) == 0)
            CHECK_OK(promise(paths[i], out));
}

TEST(files_without_a_promise_are_reported) {
    uint8_t out[SPATE_SHA256_LENGTH];
    const char *text = fresh("text");
    write_text(text, "INPUT(libx.so.1)", 0644);
    CHECK_STATUS(SPATE_CORRUPT, promise(text, out));
    write_text(text, "", 0644);
    CHECK_STATUS(SPATE_CORRUPT, promise(text, out));
    CHECK_STATUS(SPATE_CORRUPT, promise("/proc/self/exe", out));
    CHECK_STATUS(SPATE_CORRUPT, promise(library(NULL, FUNCTIONS, NULL, ""), out));
}

/* Cuts the library at any length and changes any byte of its tables. The reader never leaves the file. */
TEST(damaged_files_cause_no_read_outside) {
    static const char *const versions[] = {BOTH, NULL};
    for (int i = 0; i < 2; i++) {
        uint8_t out[SPATE_SHA256_LENGTH];
        spate_buffer file = {0};
        CHECK_OK(spate_read_file(library("libx.so.1", FUNCTIONS, versions[i], "-s"), 1 << 20, &file, NULL, NULL));
        for (size_t at = 0; at < file.length; at += harness_full() ? 1 : 7) {
            uint8_t *exact = malloc(at + 1); /* the sanitizers watch the end of this copy */
            CHECK(exact != NULL);
            memcpy(exact, file.bytes, at);
            exact = realloc(exact, at > 0 ? at : 1);
            spate_elf_source cut = {.bytes = exact, .length = at};
            spate_status status = spate_elf_promise(&cut, out);
            free(exact);
            CHECK(status == SPATE_OK || status == SPATE_CORRUPT);
            uint8_t was = file.bytes[at];
            file.bytes[at] ^= (uint8_t)(at * 31 + 0x81);
            spate_elf_source changed = {.bytes = file.bytes, .length = file.length};
            status = spate_elf_promise(&changed, out);
            CHECK(status == SPATE_OK || status == SPATE_CORRUPT);
            file.bytes[at] = was;
        }
        spate_buffer_free(&file);
    }
}
