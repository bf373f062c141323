/*
 * Checks whether a file is unchanged since it was compiled into a cache. Compares size, times and inode. The content is
 * compared only if these prove nothing (see base/freshness.h). docs/compile-cache-format.md has the rules.
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
    bool symlink; /* the path is a symlink; all other fields describe its target */
} spate_source;

/* Returns false with errno set if the file does not exist, or if the path is a dangling symlink. */
bool spate_source_stat(const char *path, spate_source *source);

typedef enum spate_source_state {
    SPATE_SOURCE_SAME,
    SPATE_SOURCE_OTHER_KIND,
    SPATE_SOURCE_OTHER_SIZE,
    /* In these cases, only the content shows whether the file has changed: */
    SPATE_SOURCE_UNKEPT,
    SPATE_SOURCE_OTHER_MTIME,
    SPATE_SOURCE_OTHER_CTIME,
    SPATE_SOURCE_OTHER_INODE,
    SPATE_SOURCE_RECENT,
} spate_source_state;

/* The name of the state in Ruby: "kind", "mtime". NULL if the file is unchanged. */
const char *spate_source_state_name(spate_source_state state);

spate_source_state spate_source_compare(const spate_source *source, const spate_compile_cache_file *recorded);
/* Whether the state proves that the file has changed, without comparing the content. */
static inline bool spate_source_is_other(spate_source_state state) {
    return state == SPATE_SOURCE_OTHER_KIND || state == SPATE_SOURCE_OTHER_SIZE;
}
/* Like spate_source_compare, but accepts entries of any type. */
spate_source_state spate_source_doubt(const spate_source *source, const spate_compile_cache_file *recorded);

/* Hashes the content of the file. Follows symlinks. Returns false with errno set on failure. */
bool spate_source_hash(const char *path, uint8_t out[SPATE_SIPHASH_BYTES]);

/*
 * A cache of real paths. A compiled file contains its real path, so it must not be used if a directory in its path has
 * since become a symlink or points elsewhere. Each directory is checked at most once every two seconds. Not
 * thread-safe.
 */
typedef struct spate_realpaths spate_realpaths;

spate_realpaths *spate_realpaths_new(void); /* NULL if out of memory */
void spate_realpaths_free(spate_realpaths *realpaths);
/* Removes all directories from the cache. Accepts NULL. */
void spate_realpaths_forget(spate_realpaths *realpaths);
/* Whether the real path of `path` (NUL-terminated) is `expected`. `symlink` is the value from spate_source_stat. */
bool spate_realpaths_match(spate_realpaths *realpaths, const char *path, size_t length, bool symlink,
                           const char *expected, size_t expected_length);

#endif
