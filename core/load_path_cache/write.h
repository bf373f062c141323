/* The last step of spate_load_path_cache_build. */
#ifndef SPATE_LOAD_PATH_CACHE_WRITE_H
#define SPATE_LOAD_PATH_CACHE_WRITE_H

#include "load_path_cache/sort.h"

/* The header fields that do not come from the scan. */
typedef struct load_path_cache_facts {
    uint8_t fingerprint[SPATE_SIPHASH_BYTES];
    const char *shared; /* the extension of shared objects, with its dot */
} load_path_cache_facts;

/* The caller frees *bytes. On failure *bytes is NULL: SPATE_LIMIT if a limit is exceeded, SPATE_NO_MEMORY. */
spate_status spate_load_path_cache_write(const index_catalog *c, const load_path_cache_order *order,
                                         const load_path_cache_facts *facts, uint8_t **bytes, size_t *length,
                                         spate_error *error);

#endif
