/* The last step of spate_index_build. */
#ifndef SPATE_INDEX_WRITE_H
#define SPATE_INDEX_WRITE_H

#include "index/sort.h"

/* The header fields of an index that do not come from the scan. */
typedef struct index_facts {
    uint8_t fingerprint[SPATE_SIPHASH_BYTES];
    const char *shared; /* the extension of shared objects, with its dot */
} index_facts;

/* The caller frees *bytes. SPATE_LIMIT above an index's limits, SPATE_NO_MEMORY: then *bytes is NULL. */
spate_status spate_index_write(const index_catalog *c, const index_order *order, const index_facts *facts,
                               uint8_t **bytes, size_t *length, spate_error *error);

#endif
