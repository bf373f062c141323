/* A folder for one test program, under TMPDIR. The program removes it at its end. This header also has small helpers
 * for files in it. */
#ifndef SPATE_TEST_SCRATCH_H
#define SPATE_TEST_SCRATCH_H

#include "test/harness.h"

#include "base/file.h"
#include "base/freshness.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch_root[PATH_MAX / 4];

static void scratch_remove(void) {
    spate_remove_tree(scratch_root, NULL);
}

/* Returns "<scratch>/<relative>" in one of a few static buffers. */
static inline const char *in_scratch(const char *relative) {
    static char buffers[8][PATH_MAX];
    static unsigned next;
    char *path = buffers[next++ % 8];
    if (scratch_root[0] == '\0') {
        const char *folder = getenv("TMPDIR");
        snprintf(scratch_root, sizeof(scratch_root), "%s/spate-core-XXXXXX", folder ? folder : "/tmp");
        if (!mkdtemp(scratch_root))
            abort();
        atexit(scratch_remove);
    }
    snprintf(path, PATH_MAX, "%s/%s", scratch_root, relative);
    return path;
}

/* Copies the text for the rest of the program. The paths from this header live in a few buffers that are reused. */
static inline const char *lasting(const char *text) {
    static struct copy {
        struct copy *next;
        char text[];
    } *copies;
    struct copy *copy = malloc(sizeof(*copy) + strlen(text) + 1);
    if (!copy)
        abort();
    copy->next = copies;
    copies = copy;
    return strcpy(copy->text, text);
}

/* Returns a path that does not exist yet. */
static inline const char *fresh(const char *name) {
    static unsigned counter;
    char relative[64];
    snprintf(relative, sizeof(relative), "%s%u", name, counter++);
    return in_scratch(relative);
}

static inline void write_text(const char *path, const char *text, mode_t mode) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    CHECK(descriptor >= 0);
    CHECK(spate_write_all(descriptor, text, strlen(text)));
    CHECK(fchmod(descriptor, mode) == 0);
    CHECK(close(descriptor) == 0);
}

/* Returns whether file times prove that a file is unchanged here; see docs/platforms.md. */
static inline bool times_prove(void) {
    struct stat info;
    const char *path = fresh("times");
    write_text(path, "", 0644);
    CHECK(stat(path, &info) == 0);
    info.st_ctim.tv_nsec += info.st_ctim.tv_nsec == 0; /* zero occurs once in a billion times */
    return spate_times_kept(path, &info);
}
#define NEEDS_TIMES NEEDS(times_prove(), "no times here that prove anything")

static inline void check_text(const char *path, const char *expected) {
    spate_buffer buffer = {0};
    CHECK_OK(spate_read_file(path, 1 << 20, &buffer, NULL, NULL));
    CHECK_NUMBER(strlen(expected), buffer.length);
    CHECK_BYTES(expected, buffer.bytes, buffer.length);
    spate_buffer_free(&buffer);
}

static inline struct stat stat_of(const char *path) {
    struct stat info;
    CHECK(lstat(path, &info) == 0);
    return info;
}

static inline bool exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

#endif
