/* Finds the compile cache with the current version of a file. Calls no Ruby. */
#ifndef SPATE_BOOT_SEARCH_H
#define SPATE_BOOT_SEARCH_H

#include "native.h"

/* The maximum number of compile caches with the same file that are considered. */
#define SPATE_CANDIDATES_MAX 8

typedef struct spate_candidate {
    spate_loaded_compile_cache from;
    size_t index;
} spate_candidate;

typedef struct spate_search {
    const char *path; /* as requested; not necessarily NUL-terminated */
    size_t length;
    spate_outcome outcome;
    const char *why;          /* name of a Ruby symbol: why the stat was inconclusive, or how the file differs; NULL for
                               * a simple hit */
    const char *lasting_path; /* the same path in the memory of a compile cache, or NULL */
    spate_source source;      /* current stat of the file; valid if `chosen` is set */
    bool chosen;
    spate_candidate choice; /* the blob's checksum has been verified */
} spate_search;

/*
 * Searches the added compile caches in order, then those of gems. In each group, chooses the first one for which a stat
 * proves that the file is unchanged, otherwise the first one recorded for the file's current content.
 */
void spate_search_compile_caches(spate_search *search);
/* Like spate_search_compile_caches, for a single compile cache. */
void spate_search_compile_cache(spate_search *search, spate_loaded_compile_cache compile_cache);

/* Adds a compile cache once. Returns false if out of memory. */
bool spate_search_add(spate_loaded_compile_cache compile_cache);
void spate_search_set_key(const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES]);
/* Removes all compile caches and the key. */
void spate_search_clear(void);
void spate_search_rest(void);

#endif
