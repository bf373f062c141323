/*
 * Finds the current file for a feature below the roots of a program's load path. Uses the load-path cache for unchanged
 * directories, and lists changed and unknown directories. Not thread-safe.
 *
 *   position  index in the load path at which a root occurs first
 *   node      path of a directory relative to a root; keys of the load-path cache have the same index as node
 *   moment    a counter. A directory is checked once per moment, and moments last at least a second
 */
#ifndef SPATE_LOAD_PATH_CACHE_RESOLVE_H
#define SPATE_LOAD_PATH_CACHE_RESOLVE_H

#include "load_path_cache/load_path_cache.h"

typedef struct spate_resolver spate_resolver;

typedef enum spate_answer {
    SPATE_FOUND,
    SPATE_ABSENT, /* not found below any root */
    SPATE_UNSURE, /* a directory could not be listed, or the name is not a plain relative path */
} spate_answer;

typedef struct spate_found {
    uint32_t position;
    int kind;
    size_t length;
    char path[SPATE_LOAD_PATH_CACHE_PATH_MAX]; /* includes the root's real path and the extension */
} spate_found;

typedef struct spate_resolver_counts {
    uint64_t stats;    /* number of stat calls: for directories, and for files that are symlinks */
    uint64_t listings; /* number of directory listings */
} spate_resolver_counts;

/* `cache` may be NULL; the caller owns its bytes. `shared` is the extension of shared objects, such as ".so". */
spate_status spate_resolver_new(spate_resolver **resolver, const spate_load_path_cache *cache, const char *shared);
void spate_resolver_free(spate_resolver *resolver);
size_t spate_resolver_bytes(const spate_resolver *resolver);

/* Returns the moment from which results are valid. Begins a new one if the current one has expired. */
uint32_t spate_resolver_moment(spate_resolver *resolver);

/*
 * Returns the index of the root that an absolute path resolves to. Follows symlinks once per moment. Returns
 * SPATE_LOAD_PATH_CACHE_NONE if out of memory, or if the path cannot be a root.
 */
uint32_t spate_resolver_root(spate_resolver *resolver, const char *path, size_t length);
/*
 * Sets the load path as indexes of roots. SPATE_LOAD_PATH_CACHE_NONE represents an entry that only Ruby can interpret;
 * features that may be found after it are SPATE_UNSURE.
 */
spate_status spate_resolver_load_path(spate_resolver *resolver, const uint32_t *roots, size_t count);

/*
 * Interprets the name like `load` if `load` is true, otherwise like `require`. If `fresh` is true, checks every
 * relevant directory again.
 */
spate_answer spate_resolver_find(spate_resolver *resolver, const char *feature, size_t length, bool load, bool fresh,
                                 spate_found *found);

/* Calls `seen` for each matching file, in no particular order. Used to explain a result to the user. */
typedef void (*spate_candidate_seen)(void *context, const char *path, size_t length, uint32_t position, int kind);
spate_answer spate_resolver_each(spate_resolver *resolver, const char *feature, size_t length,
                                 spate_candidate_seen seen, void *context);

spate_resolver_counts spate_resolver_counted(const spate_resolver *resolver);
/* Makes the resolver check all directories and roots again before their next use. */
void spate_resolver_forget(spate_resolver *resolver);

#endif
