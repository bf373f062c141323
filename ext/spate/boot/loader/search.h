/* Finds the compile cache with the current version of a file. Calls no Ruby. */
#ifndef SPATE_BOOT_SEARCH_H
#define SPATE_BOOT_SEARCH_H

#include "native.h"

/* At most this many compile caches with the same file are searched. */
#define SPATE_CANDIDATES_MAX 8

typedef struct spate_candidate {
    spate_loaded_compile_cache from;
    size_t index;
} spate_candidate;

typedef struct spate_search {
    const char *path; /* as requested; need not have a NUL */
    size_t length;
    spate_outcome outcome;
    const char *why;          /* Ruby's symbol, NULL for a plain hit: the doubt that the stat left, or the difference */
    const char *lasting_path; /* the same text in a compile cache, NULL if none has it */
    spate_source source;      /* the file's current state; valid if something was chosen */
    bool chosen;
    spate_candidate choice; /* its blob is checked */
} spate_search;

/*
 * Searches the added compile caches first, in their order, then those of gems: in each of the two chooses the first that a stat
 * alone confirms, else the first with the file's content.
 */
void spate_search_compile_caches(spate_search *search);
/* The same in a single compile cache. */
void spate_search_compile_cache(spate_search *search, spate_loaded_compile_cache compile_cache);

/* false: no memory. A compile cache is added once. */
bool spate_search_add(spate_loaded_compile_cache compile_cache);
void spate_search_set_key(const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES]);
/* No compile caches, no key. */
void spate_search_clear(void);
void spate_search_rest(void);

#endif
