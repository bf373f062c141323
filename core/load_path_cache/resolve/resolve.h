/*
 * Finds the current file of a feature under the roots of a program's load path. The load-path cache answers for
 * unchanged directories; changed and unknown directories are listed in memory. Not thread-safe.
 *
 *     position  of a root in the load path, where it occurs first
 *     node      a directory's path below roots, known to the load-path cache (numbered as its key) or found since
 *     moment    counts up; a directory is looked at once per moment, and a moment begins at most once a second
 */
#ifndef SPATE_LOAD_PATH_CACHE_RESOLVE_H
#define SPATE_LOAD_PATH_CACHE_RESOLVE_H

#include "load_path_cache/load_path_cache.h"

typedef struct spate_resolver spate_resolver;

typedef enum spate_answer {
    SPATE_FOUND,
    SPATE_ABSENT, /* not found under any root at this moment */
    SPATE_UNSURE, /* a folder could not be listed, or the name is not a plain relative path */
} spate_answer;

typedef struct spate_found {
    uint32_t position;
    int kind;
    size_t length;
    char path[SPATE_LOAD_PATH_CACHE_PATH_MAX]; /* with the root's real path and the extension */
} spate_found;

typedef struct spate_resolver_counts {
    uint64_t stats;    /* number of stats: of directories, and of files behind symbolic links */
    uint64_t listings; /* number of directory listings */
} spate_resolver_counts;

/* `cache` may be NULL; its bytes belong to the caller. `shared`: the extension used without a cache, such as ".so". */
spate_status spate_resolver_new(spate_resolver **resolver, const spate_load_path_cache *cache, const char *shared);
void spate_resolver_free(spate_resolver *resolver);
size_t spate_resolver_bytes(const spate_resolver *resolver);

/* The number of the moment from which answers are valid. Begins a new moment if the last has expired. */
uint32_t spate_resolver_moment(spate_resolver *resolver);

/*
 * The number of the root that an absolute path resolves to, following symbolic links at most once per moment.
 * SPATE_LOAD_PATH_CACHE_NONE without memory, or if no root can have that path.
 */
uint32_t spate_resolver_root(spate_resolver *resolver, const char *path, size_t length);
/*
 * Sets the load path as numbers of roots. SPATE_LOAD_PATH_CACHE_NONE marks an entry that only Ruby can interpret;
 * entries after it give unsure answers.
 */
spate_status spate_resolver_load_path(spate_resolver *resolver, const uint32_t *roots, size_t count);

/*
 * Interprets the name like `load` if `load` is true, otherwise like `require`. `fresh`: checks every relevant directory
 * now.
 */
spate_answer spate_resolver_find(spate_resolver *resolver, const char *feature, size_t length, bool load, bool fresh,
                                 spate_found *found);

/* Calls back for each matching file, in no particular order; used for explanations. */
typedef void (*spate_candidate_seen)(void *context, const char *path, size_t length, uint32_t position, int kind);
spate_answer spate_resolver_each(spate_resolver *resolver, const char *feature, size_t length,
                                 spate_candidate_seen seen, void *context);

spate_resolver_counts spate_resolver_counted(const spate_resolver *resolver);
/* Forces a check of all directories and roots before their next use. */
void spate_resolver_forget(spate_resolver *resolver);

#endif
