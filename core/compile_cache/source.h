/*
 * Whether a file is still the one that a compile cache was made from. Size and times decide; if they cannot (see
 * base/freshness.h), the content does. docs/compile-cache-format.md has the rules.
 */
#ifndef SPATE_SOURCE_H
#define SPATE_SOURCE_H

#include "compile_cache/compile_cache.h"

typedef struct spate_source {
    uint64_t size;
    int64_t mtime_ns;
    int64_t ctime_ns;
    uint64_t device;
    uint64_t inode;
    bool regular;
    bool kept;    /* see spate_times_kept */
    bool symlink; /* the path's last part is one; all else describes its target */
} spate_source;

/* false with errno if there is nothing (a dangling link, say). */
bool spate_source_stat(const char *path, spate_source *source);

typedef enum spate_source_state {
    SPATE_SOURCE_SAME,
    SPATE_SOURCE_OTHER_KIND,
    SPATE_SOURCE_OTHER_SIZE,
    /* The content decides: */
    SPATE_SOURCE_UNKEPT,
    SPATE_SOURCE_OTHER_MTIME,
    SPATE_SOURCE_OTHER_CTIME,
    SPATE_SOURCE_OTHER_INODE,
    SPATE_SOURCE_RECENT,
} spate_source_state;

/* As Ruby's symbols: "kind", "mtime"; NULL if it is the same. */
const char *spate_source_state_name(spate_source_state state);

spate_source_state spate_source_compare(const spate_source *source, const spate_compile_cache_file *recorded);
/* Whether it cannot be the recorded file, judged without reading its content. */
static inline bool spate_source_is_other(spate_source_state state) {
    return state == SPATE_SOURCE_OTHER_KIND || state == SPATE_SOURCE_OTHER_SIZE;
}
/* The same for entries that may be of another type than a file. */
spate_source_state spate_source_doubt(const spate_source *source, const spate_compile_cache_file *recorded);

/* Hashes the file that the path leads to; false with errno. */
bool spate_source_hash(const char *path, uint8_t out[SPATE_SIPHASH_BYTES]);

/*
 * Real paths of files. A compiled file contains the real path that it had; if a folder on the way has become a symlink
 * since, or leads elsewhere, it must not be used. Each folder is checked once in two seconds. For one thread.
 */
typedef struct spate_realpaths spate_realpaths;

spate_realpaths *spate_realpaths_new(void); /* NULL: no memory */
void spate_realpaths_free(spate_realpaths *realpaths);
/* Forgets all folders. NULL is fine. */
void spate_realpaths_forget(spate_realpaths *realpaths);
/* Whether the real path of `path` (NUL-terminated) is `expected`. `symlink`: as spate_source_stat found. */
bool spate_realpaths_match(spate_realpaths *realpaths, const char *path, size_t length, bool symlink,
                           const char *expected, size_t expected_length);

#endif
